"""The bill of materials is made of the locks alone, and an audit that asked nobody does not say that all is well."""

import json
from pathlib import Path

import pytest
from loadstone_local import audit, sbom


def test_bills_name_every_locked_package_and_are_the_same_each_time(tmp_path: Path) -> None:
    names = list(sbom.SOURCES)
    first = sbom.write_bills(names, tmp_path / "a")
    second = sbom.write_bills(names, tmp_path / "b")
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]
    bills = {name: json.loads(file.read_text()) for name, file in zip(names, first, strict=True)}
    lock = (sbom.REPOSITORY / "requirements.txt").read_text()
    pinned = {found[0] for line in lock.splitlines() if (found := sbom.PINNED.match(line))}
    assert len(bills["service"]["components"]) == len(pinned) > 30
    assert all(part["hashes"] for part in bills["service"]["components"])
    assert any(part["purl"].startswith("pkg:npm/react@") for part in bills["pages"]["components"])
    assert any(part["purl"].startswith("pkg:cargo/") for part in bills["engine"]["components"])
    assert "timestamp" not in json.dumps(bills)


SKIPPED = {"dependencies": [{"name": "x", "skip_reason": "Dependency not found on PyPI"}], "fixes": []}
HALF = {"dependencies": [{"name": "x", "version": "1", "vulns": []}, {"name": "y", "skip_reason": "z"}]}
SOUND = {"dependencies": [{"name": "x", "version": "1", "vulns": []}]}
BROKEN = {"dependencies": [{"name": "x", "version": "1", "vulns": [{"id": "PYSEC-1"}]}]}


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ("", "not checked"),
        ("Traceback", "not checked"),
        (json.dumps({"dependencies": []}), "not checked"),
        (json.dumps(SKIPPED), "not checked"),
        (json.dumps(HALF), "not checked"),
        (json.dumps(SOUND), "no known faults"),
        (json.dumps(BROKEN), "known faults"),
    ],
)
def test_an_audit_that_looked_nothing_up_is_no_audit(output: str, status: str) -> None:
    assert audit.read_pip_audit("requirements.txt", output).status == status


def test_so_is_one_that_could_reach_nobody() -> None:
    assert audit.read_npm_audit("x", json.dumps({"message": "request failed"})).status == "not checked"
    assert audit.read_cargo_audit("x", "").status == "not checked"
    missing = audit.ask("x", ["no-such-tool"], Path(), audit.read_pip_audit)
    assert (missing.status, missing.reason) == ("not checked", "no-such-tool is not installed here")
