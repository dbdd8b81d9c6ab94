"""What a host may lack: tests of it are skipped, with what gets it."""

import pytest
from loadstone_agent.stores import KINDS
from loadstone_contracts.agent_calls import TargetKind


def needs(kind: TargetKind) -> pytest.MarkDecorator:
    is_here = any(offer.available for offer in KINDS[kind].offers())
    return pytest.mark.skipif(not is_here, reason=f"no {kind} here; to get it: {KINDS[kind].remedy}")
