"""`make sbom`: what the product is built from, as CycloneDX 1.5, read from the lock files themselves.

Equal locks make equal bytes: no time, no machine, and a serial number that is the hash of the components.
"""

import base64
import hashlib
import json
import re
import sys
import tomllib
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_PARENTS = Path(__file__).resolve().parents
# In an image this file lies alone, and nothing of the repository is above it.
REPOSITORY = _PARENTS[min(2, len(_PARENTS) - 1)]
OUT = REPOSITORY / "dist" / "sbom"
PINNED = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^]]*\])?==([^\s;\\]+)")
PIP_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")

Component = dict[str, Any]


def component(name: str, version: str, purl: str, hashes: list[tuple[str, str]]) -> Component:
    made: Component = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    if hashes:
        made["hashes"] = [{"alg": algorithm, "content": content} for algorithm, content in sorted(hashes)]
    return made


def python_components(lock: str) -> Iterator[Component]:
    """Of a hashed requirements file. A package has a hash for each of its files."""
    for entry in re.split(r"\n(?=[A-Za-z0-9])", lock.replace("\\\n", " ")):
        if found := PINNED.match(entry.strip()):
            name = re.sub(r"[-_.]+", "-", found[1]).lower()
            files = [("SHA-256", one) for one in PIP_HASH.findall(entry)]
            yield component(name, found[2], f"pkg:pypi/{name}@{found[2]}", files)


def npm_components(lock: str) -> Iterator[Component]:
    """What `npm ci` installs; packages for building only are marked as excluded."""
    for path, entry in json.loads(lock)["packages"].items():
        if not path or entry.get("link"):
            continue
        name = entry.get("name") or path.rpartition("node_modules/")[2]
        purl = f"pkg:npm/{name.replace('@', '%40', 1)}@{entry['version']}"
        algorithm, _, digest = entry.get("integrity", "").split(" ")[0].partition("-")
        hashes = [("SHA-512", _hex(digest))] if algorithm == "sha512" else []
        made = component(name, entry["version"], purl, hashes)
        yield made | {"scope": "excluded" if entry.get("dev") else "required"}


def _hex(base64_text: str) -> str:
    return base64.b64decode(base64_text).hex()


def cargo_components(lock: str) -> Iterator[Component]:
    for package in tomllib.loads(lock)["package"]:
        name, version = package["name"], package["version"]
        hashes = [("SHA-256", package["checksum"])] if "checksum" in package else []
        yield component(name, version, f"pkg:cargo/{name}@{version}", hashes)


def bill(product: str, components: Iterator[Component]) -> Component:
    unique = {one["bom-ref"]: one for one in components}
    ordered = [unique[ref] for ref in sorted(unique)]
    digest = hashlib.sha256(json.dumps(ordered, sort_keys=True).encode()).hexdigest()
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, digest)}",
        "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": product, "name": product}},
        "components": ordered,
    }


SOURCES = {
    "service": ("requirements.txt", python_components),
    "agent": ("requirements-agent.txt", python_components),
    "cli": ("requirements-cli.txt", python_components),
    "pages": ("frontend/package-lock.json", npm_components),
    "engine": ("workers/engine/Cargo.lock", cargo_components),
}


def write_bills(names: list[str], folder: Path, root: Path = REPOSITORY) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name in names:
        path, read = SOURCES[name]
        made = bill(f"loadstone-{name}", read((root / path).read_text(encoding="utf-8")))
        file = folder / f"{name}.cdx.json"
        file.write_text(json.dumps(made, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        written.append(file)
        print(f"{file}: {len(made['components'])} components from {path}")
    return written


if __name__ == "__main__":
    # In an image: the names of what it holds, and where its locks and its bill lie.
    if len(sys.argv) > 1:
        write_bills(sys.argv[3:], Path(sys.argv[2]), Path(sys.argv[1]))
    else:
        write_bills(list(SOURCES), OUT)
