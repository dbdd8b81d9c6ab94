"""When waiting runs will begin."""

import uuid
from datetime import UTC, datetime, timedelta

from loadstone.queue.forecast import Slot, Work, correct_estimate, forecast

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
ONE, TWO = uuid.uuid4(), uuid.uuid4()
HOSTS = {ONE: frozenset({"host:1"}), TWO: frozenset({"host:2"})}


def work(seconds: float = 60, agents: tuple[uuid.UUID, ...] = (ONE, TWO), **changes: object) -> Work:
    values: dict[str, object] = {"hosts": {agent: HOSTS[agent] for agent in agents}}
    return Work(run_id=uuid.uuid4(), remaining_s=seconds, **(values | changes))  # type: ignore[arg-type]


def begin(slots: dict[uuid.UUID, Slot], run: Work) -> float:
    return (slots[run.run_id].starts_at - NOW).total_seconds()


def test_runs_are_dealt_to_the_agent_that_is_free_first() -> None:
    long, short, third, bound = work(100), work(10), work(20), work(5, (ONE,))
    slots = forecast([long, short, third, bound], NOW)
    assert [slots[run.run_id].agent_id for run in (long, short, third, bound)] == [ONE, TWO, TWO, ONE]
    assert [begin(slots, run) for run in (long, short, third, bound)] == [0, 0, 10, 100]


def test_agents_of_one_host_and_targets_on_one_host_take_turns() -> None:
    shared = {ONE: frozenset({"host:1", "host:db"}), TWO: frozenset({"host:2", "host:db"})}
    first, second = work(30, hosts=shared), work(30, hosts=shared)
    slots = forecast([first, second], NOW)
    assert begin(slots, second) == 30


def test_what_nobody_will_begin_has_no_slot_and_delays_nobody() -> None:
    paused, homeless, well = work(is_paused=True), work(hosts={}), work()
    slots = forecast([paused, homeless, well], NOW)
    assert slots.keys() == {well.run_id}
    assert begin(slots, well) == 0


def test_a_run_begins_after_the_one_it_waits_for() -> None:
    earlier = work(50, (ONE,))
    later = work(10, (TWO,), waits_for=earlier.run_id)
    ended = work(10, (TWO,), waits_for=uuid.uuid4())
    slots = forecast([earlier, later, ended], NOW)
    assert (begin(slots, later), begin(slots, ended)) == (50, 60)
    stuck = work(is_paused=True)
    assert forecast([stuck, work(waits_for=stuck.run_id)], NOW) == {}


def test_a_run_under_way_ends_when_the_rest_of_it_is_done() -> None:
    running, following = work(40, (ONE,), is_under_way=True), work(10, (ONE,))
    slots = forecast([running, following], NOW)
    assert slots[running.run_id].ends_at == NOW + timedelta(seconds=40)
    assert begin(slots, following) == 40


def test_past_runs_correct_the_estimate() -> None:
    assert correct_estimate(100, None) == (100, "estimate")
    assert correct_estimate(100, 1.5) == (150, "past_runs")
