"""One live stack for all tests of this folder: the demo's own code, real processes, another port."""

import json
from collections.abc import Iterator

import httpx2
import pytest
from loadstone_local.live_stack import LiveStack
from loadstone_local.scratch_stack import scratch_stack


@pytest.fixture(scope="session")
def live() -> Iterator[LiveStack]:
    with scratch_stack("up") as stack:
        token = json.loads(stack.demo_file.read_text())["api_token"]
        headers = {"Authorization": f"Bearer {token}"}
        with httpx2.Client(base_url=f"{stack.url}/api/v1", headers=headers, timeout=90, trust_env=False) as client:
            yield LiveStack(stack, client)
