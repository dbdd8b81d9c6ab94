"""A public HdrHistogram tool opens what the engine writes with `--hlog`, and finds in it what the engine said."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from loadstone_agent_testing.processes import end, free_port, is_listening, wait_until

LONGEST_NS = 36_000_000_000_000


@pytest.fixture
def redis_port(tmp_path: Path) -> Iterator[int]:
    port = free_port()
    server = subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
    )
    wait_until(lambda: is_listening(port))
    yield port
    end(server)


def read_log(path: Path) -> dict[str, HdrHistogram]:
    """The histograms of each tag over all intervals."""
    reader = HistogramLogReader(str(path), HdrHistogram(1, LONGEST_NS, 3))
    merged: dict[str, HdrHistogram] = {}
    while (interval := reader.get_next_interval_histogram()) is not None:
        merged.setdefault(interval.get_tag(), HdrHistogram(1, LONGEST_NS, 3)).add(interval)
    reader.close()
    return merged


def test_a_histogram_log_holds_the_counts_and_percentiles_of_the_summary(
    engine_binary: str, redis_port: int, tmp_path: Path
) -> None:
    log = tmp_path / "run.hlog"
    target = f"redis://127.0.0.1:{redis_port}"
    flags = ["--mix", "get=3,set=1", "--keys", "1000", "--connections", "8", "--seconds", "2.3", "--json"]
    command = [engine_binary, "run", "--target", target, *flags, "--hlog", str(log)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    said = json.loads(done.stdout)["operations"]
    found = read_log(log)
    assert sorted(found) == ["get.response", "get.service", "set.response", "set.service"]
    for tag, histogram in found.items():
        operation, kind = tag.split(".")
        numbers = said[operation]
        assert histogram.get_total_count() == numbers["count"] > 100
        for name, percentile in {"p50": 50, "p90": 90, "p99": 99, "p999": 99.9, "max": 100}.items():
            # Readers do not agree on how a rank is rounded: the neighbours' values are as right.
            rank = 100 / numbers["count"]
            lowest = histogram.get_value_at_percentile(max(0, percentile - rank))
            highest = histogram.get_value_at_percentile(min(100, percentile + rank))
            assert lowest * 0.998 <= numbers[f"{kind}_time_ns"][name] <= highest * 1.002
