"""The arithmetic of the engine's bench, and that its cells say what the lines claim."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import figures
import processes
import stalls
from cell_bench import limit_over, measure_in_turn, report_cell
from cells import CELLS, Cell
from clients import Client
from key_value_peers import mc_crusher, memtier, redis_benchmark
from peers import PEERS, find_peers
from processes import CLIENT_CORE, ClientFailed, run_to_end
from rounds import Cost, in_turn, median_cpu_us, ratio_of_rounds
from work import Work


def costs(*cpu_us: float) -> list[Cost]:
    return [Cost(one, 1000.0) for one in cpu_us]


def test_a_ratio_is_the_median_of_the_rounds_and_not_the_ratio_of_medians() -> None:
    own, other = costs(10, 30, 20), costs(5, 30, 40)
    assert ratio_of_rounds(own, other) == 1.0  # of 2, 1 and 0.5; the medians alone would say 20 / 30
    assert median_cpu_us(own) == 20
    assert ratio_of_rounds(costs(1, 2, 3, 4), costs(2, 2, 2, 2)) == 1.25


def test_a_machine_that_slows_down_for_a_round_changes_no_ratio() -> None:
    assert ratio_of_rounds(costs(6, 60, 6), costs(5, 50, 5)) == pytest.approx(1.2)


def test_a_ratio_of_unequal_rounds_is_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        ratio_of_rounds(costs(1, 2), costs(1))


def test_every_second_round_goes_backwards() -> None:
    names = ["a", "b", "c"]
    assert [in_turn(names, number) for number in range(3)] == [names, ["c", "b", "a"], names]


def test_what_a_client_needs_to_start_is_no_cost_of_an_operation() -> None:
    assert Cost.of(cpu_s=0.5, start_cpu_s=0.1, operations=1000, elapsed_s=2) == Cost(400.0, 500.0)


def test_cpu_time_is_that_of_the_client_alone() -> None:
    burn = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
    assert run_to_end(CLIENT_CORE, [sys.executable, "-c", burn]).cpu_s >= 0.3
    assert run_to_end(CLIENT_CORE, [sys.executable, "-c", "import time; time.sleep(0.3)"]).cpu_s < 0.25


def test_a_client_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "LONGEST_S", 0.2)
    with pytest.raises(ClientFailed, match="ended with -9"):
        run_to_end(CLIENT_CORE, ["sleep", "60"])


def test_a_client_that_ends_badly_is_told_with_its_last_words() -> None:
    with pytest.raises(ClientFailed, match=r"ended with 3: .*no such store"):
        run_to_end(CLIENT_CORE, [sys.executable, "-c", "import sys; sys.stderr.write('no such store'); sys.exit(3)"])


class CountingServer:
    """Counts what a test says that it has seen."""

    port = 11211

    def __init__(self, *counts: int) -> None:
        self.counts = iter(counts)

    def count(self, _cell: Cell) -> int:
        return next(self.counts)


def work(server: object, cell: Cell = CELLS[0], operations: int = 1000, folder: Path = Path()) -> Work:
    return Work(cell, server, operations, folder)  # type: ignore[arg-type]


def test_operations_are_those_that_the_server_counts_and_not_those_that_were_asked_for() -> None:
    client = Client(
        [sys.executable, "-c", "import time\nwhile time.process_time() < 0.2: pass"], work(CountingServer(7, 507))
    )
    cost = measure_in_turn({"peer": client}, 1, "cell")["peer"][0]
    assert 400 <= cost.cpu_us < 1000  # 0.2 s and the start of Python over 500 and not over 1000


def test_a_client_whose_operations_never_came_is_told_and_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    silent = Client(["true"], work(CountingServer(5, 5)))
    assert measure_in_turn({"peer": silent}, 2, "cell") == {}
    line = json.loads(capsys.readouterr().out)
    assert line["name"] == "engine.client_failed.cell.peer"
    assert "0 of 1000" in line["method"]


def test_a_line_holds_up_to_its_limit_and_not_beyond(capsys: pytest.CaptureFixture[str]) -> None:
    for value, limit in ((1.1, 1.1), (1.1001, 1.1), (9.0, None)):
        figures.show("name", value, "ratio", limit, "method", 5)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["holds"] for line in lines] == [True, False, None]
    assert set(lines[0]) == {"name", "value", "unit", "limit", "holds", "method", "n"}


def test_both_event_loops_are_held_against_their_own_bare_loop_and_every_peer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cell = next(cell for cell in CELLS if cell.store == "postgres")
    names = {"bare_epoll": 9, "bare_io_uring": 6, "engine_epoll": 10, "engine_io_uring": 7, "pgbench": 20}
    clients = {name: Client([], work(None, cell)) for name in names}
    report_cell(cell, clients, {name: costs(cpu_us) for name, cpu_us in names.items()})
    lines = {line["name"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    held = {name.rpartition(".")[2]: line["holds"] for name, line in lines.items() if "ratio" in name and line["limit"]}
    assert held == {"engine_epoll_to_pgbench": True, "engine_io_uring_to_pgbench": True}
    assert limit_over(CELLS[0], "engine_epoll", "bare_epoll") == 1.1
    assert limit_over(CELLS[0], "engine_epoll", "bare_io_uring") is None


def test_percentiles_of_the_server_are_from_the_schedule() -> None:
    start_ns, step_ns = 1_000_000_000, 500_000
    answered = [start_ns + number * step_ns + 1_000_000 for number in range(100)]
    # The second half is answered at once, when the server moves again 10 ms after the last of them came.
    answered[50:] = [start_ns + 99 * step_ns + 10_000_000] * 50
    measured = stalls.percentiles_ms(answered, start_ns)
    assert measured["p50"] == pytest.approx(1.0)
    assert measured["max"] == pytest.approx(49 * 0.5 + 10)


def test_an_engine_that_leaves_the_stall_out_is_found() -> None:
    told = {"p50": 1.0, "p99": 1.2, "p999": 1.5, "max": 1001.0}
    errors = stalls.Percentiles(told, told, 0, 0.0).errors(stalls.THEORY_MS)
    assert errors["p50"] == 0
    assert errors["p99"] < -0.99


def test_every_peer_is_told_all_of_its_cell(tmp_path: Path) -> None:
    cell = Cell("memcached", "get", 100, keys=16)
    command = mc_crusher(["mc-crusher"], work(CountingServer(), cell, folder=tmp_path))
    assert command
    conf = Path(command[command.index("--conf") + 1]).read_text()
    assert "send=ascii_mget,mget_count=16" in conf
    assert "conns=50" in conf
    words = memtier(["memtier_benchmark"], work(CountingServer(), cell, 160_000))
    assert words
    assert words[words.index("-n") + 1] == "200"  # requests of 16 keys by one of 50 connections
    assert "--multi-key-get=16" in words
    assert redis_benchmark(["redis-benchmark"], work(CountingServer(), cell)) is None


def test_a_peer_can_be_named_and_a_name_that_is_none_is_refused() -> None:
    found = find_peers({"valkey-benchmark": "/prefix/ld.so --library-path '/a b' valkey-benchmark"})
    assert found["valkey-benchmark"] == ["/prefix/ld.so", "--library-path", "/a b", "valkey-benchmark"]
    with pytest.raises(SystemExit, match="memtier_benchmark"):
        find_peers({"memtier": "/usr/bin/memtier_benchmark"})


def test_the_issue_s_cells_are_all_there() -> None:
    names = {cell.name: cell for cell in CELLS}
    assert len(names) == len(CELLS)
    for store in ("memcached", "redis"):
        for kind in ("get_100", "set_100", "get_1024", "set_1024"):
            assert names[f"{store}.{kind}"].over_bare == 1.1
    assert names["redis.set_100.pipeline_16"].over_bare == 1.3
    assert names["memcached.get_100.pipeline_16"].limit_us == 1.6
    assert {names[name].over_peer for name in ("ferretdb.get_100", "ferretdb.set_100")} == {("pymongo", 0.3)}
    asked = {cell.over_peer[0] for cell in CELLS if cell.over_peer}
    assert asked <= {peer.name for peer in PEERS}
