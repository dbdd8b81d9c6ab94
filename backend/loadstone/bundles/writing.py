"""A zip that is written while it is sent: memory holds one chunk of it."""

import hashlib
import io
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from loadstone.bundles.format import MANIFEST, Manifest, ManifestFile

CHUNK_BYTES = 256 * 1024


@dataclass(frozen=True)
class BundleFile:
    name: str
    lines: Iterable[bytes]
    """Each ends with a newline, but for the last one of a trace."""


@dataclass
class _Outlet(io.RawIOBase):
    """What the zip writer has written and nobody has taken yet. It cannot seek, so sizes follow the data."""

    waiting: list[bytes] = field(default_factory=list)
    size: int = 0

    def writable(self) -> bool:
        return True

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        self.waiting.append(bytes(data))
        self.size += len(data)
        return len(data)

    def take(self) -> bytes:
        chunk = b"".join(self.waiting)
        self.waiting.clear()
        self.size = 0
        return chunk


def write_bundle(facts: Manifest, files: Iterable[BundleFile]) -> Iterator[bytes]:
    """Chunks of the zip. The manifest comes last: only then are the checksums known."""
    outlet = _Outlet()
    written: dict[str, ManifestFile] = {}
    with zipfile.ZipFile(outlet, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            digest, size, rows = hashlib.sha256(), 0, 0
            with archive.open(_entry(file.name), "w", force_zip64=True) as entry:
                for line in file.lines:
                    entry.write(line)
                    digest.update(line)
                    size += len(line)
                    rows += 1
                    if outlet.size >= CHUNK_BYTES:
                        yield outlet.take()
            written[file.name] = ManifestFile(sha256=digest.hexdigest(), bytes=size, rows=rows)
        manifest = facts.model_copy(update={"files": written})
        archive.writestr(_entry(MANIFEST), manifest.model_dump_json(indent=2))
    yield outlet.take()


def _entry(name: str) -> zipfile.ZipInfo:
    """Without a date, so that equal runs make equal bytes."""
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    return info
