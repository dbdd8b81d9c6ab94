"""Whole trials, from the claim to the report."""

from loadstone_agent.agent import Agent
from loadstone_agent.trial.chain import TrialChain
from loadstone_contracts.agent_calls import Assignment, FinishRequest

from loadstone_agent_testing.api_server import ApiInMemory


def carried_out(agent: Agent, api: ApiInMemory, given: Assignment) -> FinishRequest:
    """What the agent reports of it."""
    api.assign(given)
    TrialChain(agent).execute(given.trial_id)
    return api.finishes[given.lease_id]
