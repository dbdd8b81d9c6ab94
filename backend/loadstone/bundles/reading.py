"""A bundle from anywhere: nothing in it is believed before it was checked, and nothing is unpacked to disk."""

import hashlib
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, TypeVar

from pydantic import BaseModel, ValidationError

from loadstone.bundles.errors import (
    BundleChecksumWrong,
    BundleFilesUnexpected,
    BundleRefused,
    BundleRowInvalid,
    BundleTooLarge,
    BundleVersionUnknown,
)
from loadstone.bundles.format import (
    FILES,
    FILES_OF_VERSION,
    FORMAT,
    MANIFEST,
    TRACE_NAME,
    VERSION,
    Manifest,
    trace_name,
)

MANIFEST_BYTES_MAX = 64 * 1024
UNPACKED_BYTES_MAX = 4 * 1024**3
LINE_BYTES_MAX = 8 * 1024**2
CHUNK_BYTES = 1024**2
ENCRYPTED = 0x1

Record = TypeVar("Record", bound=BaseModel)


class BundleReader:
    """Checks names, sizes, version and checksums when it is made; then gives one file after the other.

    Raises BundleRefused and what derives from it.
    """

    def __init__(self, file: IO[bytes]) -> None:
        try:
            self._archive = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, ValueError, OSError) as error:
            raise BundleRefused("This is no zip file, or it is cut off. Export the run again.") from error
        self._check_entries()
        text = self._read_whole(MANIFEST, MANIFEST_BYTES_MAX)
        self.digest = hashlib.sha256(text).hexdigest()
        self.manifest = self._parse_manifest(text)
        for name in self.manifest.files:
            self._check_file(name)

    def _check_entries(self) -> None:
        entries = self._archive.infolist()
        names = [entry.filename for entry in entries]
        held = sorted(name for name in names if not TRACE_NAME.fullmatch(name))
        is_known = any(held == sorted((*files, MANIFEST)) for files in FILES_OF_VERSION.values())
        if not is_known or len(set(names)) < len(names):
            known = ", ".join((MANIFEST, *FILES))
            raise BundleFilesUnexpected(f"A bundle holds exactly these files, and traces by their digest: {known}.")
        if any(entry.flag_bits & ENCRYPTED for entry in entries):
            raise BundleRefused("It is encrypted. Export the run again, and encrypt the way it takes instead.")
        unpacked = sum(entry.file_size for entry in entries)
        if unpacked > UNPACKED_BYTES_MAX:
            raise BundleTooLarge(f"It unpacks to {unpacked} bytes; at most {UNPACKED_BYTES_MAX} are taken.")

    def _parse_manifest(self, text: bytes) -> Manifest:
        try:
            manifest = Manifest.model_validate_json(text)
        except ValidationError as error:
            raise BundleRowInvalid(_first_fault(MANIFEST, 1, error)) from error
        if manifest.format != FORMAT or manifest.version not in FILES_OF_VERSION:
            raise BundleVersionUnknown(
                f"It has version {manifest.version} of the format and this installation reads up to {VERSION}. "
                "Update the older of the two installations."
            )
        traces = [trace_name(digest) for digest in self.trace_digests]
        if manifest.files.keys() != {*FILES_OF_VERSION[manifest.version], *traces} or (
            traces and manifest.version < VERSION
        ):
            raise BundleFilesUnexpected("Its manifest does not name the files that a bundle holds.")
        return manifest

    def _check_file(self, name: str) -> None:
        expected = self.manifest.files[name]
        digest, size = hashlib.sha256(), 0
        with self._open(name) as file:
            while chunk := self._read(name, file, CHUNK_BYTES):
                digest.update(chunk)
                size += len(chunk)
                if size > expected.bytes:
                    break
        is_named = name in (trace_name(expected.sha256), *FILES)
        if size != expected.bytes or digest.hexdigest() != expected.sha256 or not is_named:
            raise BundleChecksumWrong(f"{name} is not what was exported. Transfer the bundle again.")

    def _open(self, name: str) -> IO[bytes]:
        try:
            return self._archive.open(name)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
            raise BundleRefused(f"{name} cannot be unpacked. Export the run again.") from error

    def _read(self, name: str, file: IO[bytes], size: int) -> bytes:
        try:
            return file.read(size)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise BundleRefused(f"{name} cannot be unpacked. Transfer the bundle again.") from error

    def _read_whole(self, name: str, limit: int) -> bytes:
        with self._open(name) as file:
            text = self._read(name, file, limit + 1)
        if len(text) > limit:
            raise BundleTooLarge(f"{name} takes more than {limit} bytes.")
        return text

    @property
    def trace_digests(self) -> list[str]:
        """Of the traces that it holds."""
        found = (TRACE_NAME.fullmatch(name) for name in self._archive.namelist())
        return [match[1] for match in found if match]

    def trace(self, digest: str, limit: int) -> bytes:
        """The file, which is what its digest says: `limit` bytes at most."""
        return self._read_whole(trace_name(digest), limit)

    def records(self, name: str, model: type[Record]) -> Iterator[Record]:
        """One a line; none of a file that the bundle's version does not have."""
        if name not in self.manifest.files:
            return
        with self._open(name) as file:
            for number in range(1, self.manifest.files[name].rows + 1):
                line = file.readline(LINE_BYTES_MAX + 1)
                if len(line) > LINE_BYTES_MAX:
                    raise BundleTooLarge(f"{name}, line {number} takes more than {LINE_BYTES_MAX} bytes.")
                try:
                    yield model.model_validate_json(line)
                except ValidationError as error:
                    raise BundleRowInvalid(_first_fault(name, number, error)) from error
            if file.read(1):
                raise BundleRowInvalid(f"{name} has more lines than its manifest says.")

    def record(self, name: str, model: type[Record]) -> Record:
        """The only one of a file."""
        found = list(self.records(name, model))
        if len(found) != 1:
            raise BundleRowInvalid(f"{name} has {len(found)} lines and must have one.")
        return found[0]


def _first_fault(name: str, number: int, error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    return f"{name}, line {number}, {place or 'as a whole'}: {fault['msg']}."
