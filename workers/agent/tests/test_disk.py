"""What a store takes on its disk."""

import subprocess
from pathlib import Path

from loadstone_agent.telemetry.disk import allocated_bytes

MEBIBYTE = 1024 * 1024


def test_files_with_holes_count_as_what_they_take(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    with (tmp_path / "sub/holes").open("wb") as file:
        file.truncate(100 * MEBIBYTE)
    (tmp_path / "whole").write_bytes(b"x" * MEBIBYTE)
    subprocess.run(["sync", str(tmp_path / "whole")], check=True)
    found = allocated_bytes(tmp_path)
    assert found is not None
    assert MEBIBYTE <= found < 2 * MEBIBYTE
    assert allocated_bytes(tmp_path / "not there") is None
