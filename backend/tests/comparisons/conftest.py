"""Runs whose trials measured what the test says."""

from collections.abc import Callable
from typing import Any

import pytest
from loadstone.models import Run
from loadstone.runs.schemas import TrialItem
from loadstone_contracts.agent_calls import StoreFacts
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import make_run, resolved_plan, trials_of
from loadstone_testing.simulated_agent import SimulatedAgent, summary, totals
from loadstone_testing.trend_factories import History

Answers = Callable[[TrialItem], int]
Measure = Callable[..., Run]


@pytest.fixture
def agent(client: Caller) -> SimulatedAgent:
    return SimulatedAgent.enroll(client)


@pytest.fixture
def history(client: Caller) -> History:
    return History(client.principal)


@pytest.fixture
def measure(client: Caller, agent: SimulatedAgent) -> Measure:
    """`measure(answers, void=..., **plan)`: a run in which each trial answered `answers(trial)` in its one second."""

    def execute(
        answers: Answers, *, void: Callable[[TrialItem], bool] = lambda trial: False, finish: Any = None, **plan: Any
    ) -> Run:
        kinds = plan.pop("kinds", ("memcached", "redis"))
        run = make_run(client.principal, resolved_plan(kinds, **plan))
        for trial in trials_of(client, run):
            held = agent.claim(str(trial.id))
            agent.renew(held)
            kind = held.target.kind
            store = StoreFacts(kind=kind, version="1.0", settings={"limit": "64", f"{kind}_only": "1"})
            told = summary(held, totals(1, answers(trial)), stopped=void(trial))
            agent.finish(held, summary=told, **({"store": store} | (finish(trial) if finish else {})))
        return run

    return execute


@pytest.fixture
def interleaved(measure: Measure) -> Run:
    """memcached against Redis on 1 and 2 connections, five trials each; Redis answers a fifth more, with some noise."""
    return measure(fifth_more, order="interleaved", trials_per_point=5)


def fifth_more(trial: TrialItem) -> int:
    base = 10_000 * trial.parameters["connections"] + 37 * trial.repetition
    return int(base * (1.2 + 0.001 * trial.repetition)) if trial.parameters["target"] == "redis" else base
