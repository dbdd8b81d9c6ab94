"""Whatever happens in whatever order: the books balance at every step, and the run ends."""

from collections import Counter
from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loadstone.db import unit_of_work
from loadstone.models import Hold, Lease, Run, RunEvent, Trial
from loadstone.runs.states import ACTIVE, TERMINAL
from loadstone_contracts.agent_calls import Assignment
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import first_trial, let_leases_run_out, make_run, resolved_plan, sweep
from loadstone_testing.simulated_agent import SimulatedAgent, sample
from sqlalchemy import select

MANY_STEPS = 60


class World:
    """One run of four trials, two agents, and every lease that was ever given."""

    def __init__(self, client: Caller, agents: list[SimulatedAgent]) -> None:
        self.client = client
        self.agents = agents
        self.run = make_run(client.principal, resolved_plan(axes=[], trials_per_point=2, order="interleaved"))
        self.leases: list[tuple[SimulatedAgent, Assignment]] = []

    def next_trial(self) -> str:
        with unit_of_work() as unit:
            statement = select(Trial.id).where(Trial.run_id == self.run.id, Trial.status.not_in(TERMINAL))
            found = unit.session.scalar(statement.order_by(Trial.ordinal).limit(1))
        return str(found) if found else first_trial(self.client, self.run)

    def claim(self, number: int) -> None:
        agent = self.agents[number % 2]
        assignment = agent.ask(self.next_trial()).assignment
        if assignment is not None:
            self.leases.append((agent, assignment))

    def lease(self, age: int) -> tuple[SimulatedAgent, Assignment] | None:
        """The newest for 0, an older one for more."""
        return self.leases[-1 - age % len(self.leases)] if self.leases else None

    def renew(self, age: int) -> None:
        if lease := self.lease(age):
            lease[0].try_renew(lease[1])

    def send(self, age: int) -> None:
        if lease := self.lease(age):
            lease[0].send(lease[1], sample(age))

    def finish(self, outcome: str) -> Callable[[int], None]:
        def finish(age: int) -> None:
            if lease := self.lease(age):
                lease[0].try_finish(lease[1], outcome)

        return finish

    def crash(self, _: int) -> None:
        let_leases_run_out()
        sweep()

    def cancel(self, _: int) -> None:
        self.client.post(f"/api/v1/runs/{self.run.id}/cancel")

    def sweep(self, _: int) -> None:
        sweep()

    def check(self) -> Run:
        with unit_of_work() as unit:
            run = unit.session.scalars(select(Run).where(Run.id == self.run.id)).one()
            trials = unit.session.scalars(select(Trial).where(Trial.run_id == run.id)).all()
            active = unit.session.scalars(select(Lease).where(Lease.status == "active")).all()
            holds = unit.session.scalars(select(Hold)).all()
            seqs = unit.session.scalars(select(RunEvent.seq).where(RunEvent.run_id == run.id)).all()
        counted = Counter(trial.status for trial in trials)
        assert {status: count for status, count in run.status_counts.items() if count} == counted
        assert (run.status in TERMINAL) == all(trial.status in TERMINAL for trial in trials)
        under_way = [trial for trial in trials if trial.status in ACTIVE]
        assert len(under_way) <= 1
        assert [lease.trial_id for lease in active] == [trial.id for trial in under_way]
        assert {hold.lease_id for hold in holds} == {lease.id for lease in active}
        assert sorted(seqs) == list(range(1, run.last_event_seq + 1))
        return run

    def bring_to_an_end(self) -> str:
        """As control and a well agent do it in time."""
        for _ in range(MANY_STEPS):
            run = self.check()
            if run.status in TERMINAL:
                return run.status
            self.crash(0)
            for agent in self.agents:
                if assignment := agent.ask(self.next_trial()).assignment:
                    agent.renew(assignment)
                    agent.finish(assignment)
        raise AssertionError("the run did not end")


STEPS: dict[str, Callable[[World, int], None]] = {
    "claim": World.claim,
    "claim again": World.claim,
    "renew": World.renew,
    "send": World.send,
    "succeed": lambda world, age: world.finish("succeeded")(age),
    "succeed again": lambda world, age: world.finish("succeeded")(age),
    "fail": lambda world, age: world.finish("failed")(age),
    "be cancelled": lambda world, age: world.finish("cancelled")(age),
    "restart": lambda world, age: world.finish("crashed")(age),
    "crash": World.crash,
    "cancel": World.cancel,
    "sweep": World.sweep,
}


@given(st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 3)), max_size=25))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_the_books_balance_and_the_run_ends(client: Caller, steps: list[tuple[str, int]]) -> None:
    number = len(client.get("/api/v1/agents?limit=200").json()["items"])
    agents = [SimulatedAgent.enroll(client, f"bench-{number + index}", f"host-{index}") for index in range(2)]
    world = World(client, agents)
    for name, argument in steps:
        STEPS[name](world, argument)
        world.check()
    assert world.bring_to_an_end() in TERMINAL
    for agent in agents:
        client.delete(f"/api/v1/agents/{agent.agent_id}")
