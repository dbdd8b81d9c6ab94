"""An agent that is online, and a run that waits for it."""

import pytest
from loadstone.models import Run
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import make_run
from loadstone_testing.simulated_agent import SimulatedAgent


@pytest.fixture
def agent(client: Caller) -> SimulatedAgent:
    return SimulatedAgent.enroll(client)


@pytest.fixture
def run(client: Caller) -> Run:
    """Two targets, two connection counts, two trials a point: eight trials, target after target."""
    return make_run(client.principal)
