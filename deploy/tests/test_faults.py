"""What a run survives, and how it ends when it does not, on a live stack with real processes."""

import json
import signal
import time
import uuid
from typing import Any

from loadstone_contracts.tasks import Doorbell
from loadstone_local.live_stack import LiveStack, wait_until_gone
from loadstone_local.secrets_file import Secrets
from loadstone_local.servers import broker_url

BOTH_STORES = [{"kind": "redis", "profile": "none"}, {"kind": "memcached", "profile": "default"}]


def measured_seconds(live: LiveStack, trial_id: str, attempt: int) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = live.get(f"/trials/{trial_id}/samples?attempt={attempt}")["items"]
    return items


def assert_no_gap_and_no_double(samples: list[dict[str, Any]]) -> None:
    assert [sample["seq"] for sample in samples] == list(range(len(samples)))


def test_a_cancel_ends_engine_and_store_within_five_seconds(live: LiveStack) -> None:
    run = live.submit(seconds=60)
    live.wait_for_samples(run["id"])
    doomed = [*live.engines(), *live.stores()]
    assert len(doomed) == 2
    clicked = time.monotonic()
    live.client.post(f"/runs/{run['id']}/cancel").raise_for_status()
    assert wait_until_gone(doomed, within_s=5) == []
    assert time.monotonic() - clicked < 5
    assert live.wait_for_end(run["id"], within_s=5)["status"] == "cancelled"
    assert not any((live.stack.state / "agent/stores").glob("*"))


def test_a_cancelled_waiting_run_never_starts(live: LiveStack) -> None:
    first = live.submit(seconds=5)
    live.wait_for_samples(first["id"], count=1)
    second = live.submit(seconds=5)
    live.client.post(f"/runs/{second['id']}/cancel").raise_for_status()
    assert live.wait_for_end(second["id"])["status"] == "cancelled"
    assert live.wait_for_end(first["id"])["status"] == "succeeded"
    assert live.trial(second["id"])["attempt"] == 0


def test_a_killed_agent_leads_to_a_second_attempt_and_no_double_sample(live: LiveStack) -> None:
    run = live.submit(seconds=6)
    trial_id = live.wait_for_samples(run["id"])
    orphans = [*live.engines(), *live.stores()]
    live.service("loadstone-agent").kill()
    assert wait_until_gone(orphans, within_s=5) == []
    ended = live.wait_for_end(run["id"], within_s=60)
    assert ended["status"] == "succeeded"
    trial = live.get(f"/trials/{trial_id}")
    assert trial["attempt"] == 2
    first, second = (measured_seconds(live, trial_id, attempt) for attempt in (1, 2))
    assert_no_gap_and_no_double(first)
    assert_no_gap_and_no_double(second)
    counted = sum(item["count"] for phase in trial["phases"] for item in phase["operations"])
    assert counted == sum(item["count"] for sample in second for item in sample["operations"])


def test_an_engine_killed_at_every_attempt_fails_the_trial_with_its_code(live: LiveStack) -> None:
    run = live.submit(seconds=30)
    for attempt in (1, 2, 3):
        trial_id = live.wait_for_samples(run["id"], attempt=attempt)
        live.engines()[0].kill()
    assert live.wait_for_end(run["id"])["status"] == "failed"
    trial = live.get(f"/trials/{trial_id}")
    assert (trial["attempt"], trial["error"]["code"]) == (3, "engine_killed")
    assert live.stores() == []


def test_a_store_that_is_killed_is_measured_again(live: LiveStack) -> None:
    run = live.submit(seconds=8)
    trial_id = live.wait_for_samples(run["id"])
    live.stores()[0].kill()
    assert live.wait_for_end(run["id"])["status"] == "succeeded"
    trial = live.get(f"/trials/{trial_id}")
    assert (trial["attempt"], trial["warnings"][0]["code"]) == (2, "store_died")
    assert_no_gap_and_no_double(measured_seconds(live, trial_id, 2))


def test_a_store_that_dies_at_every_attempt_fails_its_trial_and_the_run_goes_on(live: LiveStack) -> None:
    run = live.submit(seconds=8, targets=BOTH_STORES)
    for attempt in (1, 2, 3):
        live.wait_for_samples(run["id"], attempt=attempt)
        killed = live.stores()[0]
        is_redis = killed.name() == "redis-server"
        killed.kill()
    assert live.wait_for_end(run["id"])["status"] == "failed"
    trials = live.get(f"/runs/{run['id']}/trials")["items"]
    outcomes = {trial["parameters"]["target"].startswith("Redis"): trial for trial in trials}
    assert outcomes[is_redis]["error"]["code"] == "store_died"
    assert outcomes[not is_redis]["status"] == "succeeded"


def test_an_external_target_that_does_not_answer_fails_with_its_code(live: LiveStack) -> None:
    target = live.client.post(
        "/targets", json={"name": "nobody home", "kind": "redis", "mode": "external", "host": "127.0.0.1", "port": 1}
    )
    assert target.status_code == 201, target.text
    run = live.submit(seconds=1, targets=[{"target_id": target.json()["id"]}], reset="none")
    assert live.wait_for_end(run["id"])["status"] == "failed"
    assert live.trial(run["id"])["error"]["code"] == "target_unreachable"


def test_doubled_and_forged_doorbells_change_nothing(live: LiveStack) -> None:
    secrets = Secrets(**json.loads((live.stack.state / "secrets.json").read_text()))
    doorbell = Doorbell(broker_url(secrets))
    run = live.submit(seconds=3)
    trial_id = live.wait_for_samples(run["id"], count=1)
    agent_id = live.get("/agents")["items"][0]["id"]
    for _ in range(5):
        doorbell.ring_trial(agent_id, trial_id)
        doorbell.ring_trial(agent_id, str(uuid.uuid4()))
        doorbell.ring_dispatch()
    assert live.wait_for_end(run["id"])["status"] == "succeeded"
    time.sleep(2)
    trial = live.get(f"/trials/{trial_id}")
    assert (trial["attempt"], trial["status"]) == (1, "succeeded")
    assert_no_gap_and_no_double(measured_seconds(live, trial_id, 1))


def test_redis_killed_in_the_middle_costs_nothing(live: LiveStack) -> None:
    run = live.submit(seconds=3, trials_per_point=3)
    live.wait_for_samples(run["id"])
    live.service("redis-server").kill()
    ended = live.wait_for_end(run["id"], within_s=90)
    assert (ended["status"], ended["status_counts"]["succeeded"]) == ("succeeded", 3)


def test_api_and_redis_gone_for_a_minute_lose_and_double_nothing(live: LiveStack) -> None:
    run = live.submit(seconds=12, trials_per_point=2)
    trial_id = live.wait_for_samples(run["id"])
    # Frozen, not ended: the supervisor would start an ended one again at once.
    gone = [live.service("loadstone.main"), live.service("redis-server")]
    for process in gone:
        process.send_signal(signal.SIGSTOP)
    time.sleep(60)
    for process in gone:
        process.send_signal(signal.SIGCONT)
    ended = live.wait_for_end(run["id"], within_s=90)
    assert (ended["status"], ended["status_counts"]["succeeded"]) == ("succeeded", 2)
    trial = live.get(f"/trials/{trial_id}")
    assert trial["attempt"] == 1
    samples = measured_seconds(live, trial_id, 1)
    assert_no_gap_and_no_double(samples)
    counted = sum(item["count"] for phase in trial["phases"] for item in phase["operations"])
    assert counted == sum(item["count"] for sample in samples for item in sample["operations"])
