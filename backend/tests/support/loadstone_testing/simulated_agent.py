"""The other end of `/agent/v1`: an agent that speaks the real contract and makes up what it measured."""

import random
import time
from dataclasses import dataclass, field
from typing import Any

from fastapi.testclient import TestClient
from httpx2 import Response
from loadstone.stats import histogram
from loadstone_contracts.agent_calls import (
    Assignment,
    ClaimResponse,
    EngineOffer,
    FinishRequest,
    FinishResponse,
    HeartbeatRequest,
    HostInventory,
    HostLoad,
    RenewResponse,
    SamplesRequest,
    StoreFacts,
    StoreOffer,
    TrialError,
)
from loadstone_contracts.durability import DurabilityReport
from loadstone_contracts.engine_events import OperationNumbers, PhaseTotals, SampleEvent, SummaryEvent
from loadstone_contracts.engine_times import Quantiles
from loadstone_contracts.enrollment import AGENT_PROTOCOL, BrokerCredential, BrokerCredentialRequest, EnrollResponse
from loadstone_contracts.telemetry import TelemetryRecord, TelemetryRequest

from loadstone_testing.callers import Caller
from loadstone_testing.simulated_telemetry import event, second

SECOND_NS = 1_000_000_000

INVENTORY = HostInventory(
    hostname="bench-1",
    cpu_model="Test CPU",
    cpu_count=8,
    cpu_governor="performance",
    memory_bytes=16 << 30,
    kernel="6.1",
    operating_system="Debian GNU/Linux 12",
    python_version="3.11.7",
    agent_class="Test CPU x8 16 GiB",
)
QUIET = HostLoad(load_1min=0.1, cpu_busy_share=0.02, memory_available_bytes=8 << 30, swap_used_bytes=0)
STORE = StoreFacts(kind="memcached", version="1.6.18", settings={"maxbytes": "67108864", "tcpport": "33117"})


def measured(
    operation: str, count: int, *, draw: random.Random, errors: int = 0, median_ns: int = 60_000
) -> OperationNumbers:
    """`count` answers with log-normal times, in a histogram as the engine writes it."""
    built = histogram.empty()
    # A few hundred draws shape the histogram; every one stands for many answers.
    draws = min(count, 200)
    for index in range(draws):
        weight = count // draws + (index < count % draws)
        built.record_value(int(draw.lognormvariate(0, 0.4) * median_ns) + 1, weight)
    text = built.encode().decode()
    times = Quantiles.model_validate(histogram.quantiles(built))
    return OperationNumbers(
        operation=operation,
        count=count,
        late=0,
        errors={"timeout": errors} if errors else {},
        hits=count,
        misses=0,
        bytes_sent=count * 30,
        bytes_received=count * 120,
        response_time_ns=times,
        service_time_ns=times,
        response_histogram=text,
        service_histogram=text,
    )


def sample(seq: int, count: int = 1_000, *, operation: str = "get", seed: int = 1) -> SampleEvent:
    """One second of the measure phase."""
    return SampleEvent(
        seq=seq,
        phase="measure",
        at_unix_ns=time.time_ns(),
        elapsed_ns=(seq + 1) * SECOND_NS,
        duration_ns=SECOND_NS,
        in_flight=4,
        operations=[measured(operation, count, draw=random.Random(f"{seed}/{seq}"))],
    )


def totals(seconds: int, count: int, *, operation: str = "get", seed: int = 1, **changes: Any) -> PhaseTotals:
    """A measure phase that gives no cause for distrust, unless `changes` say otherwise."""
    failed = changes.pop("failed", 0)
    values: dict[str, Any] = {
        "phase": "measure",
        "started_at_unix_ns": time.time_ns() - seconds * SECOND_NS,
        "elapsed_ns": seconds * SECOND_NS,
        "sent": count + failed,
        "answered": count,
        "failed": failed,
        "in_flight": 0,
        "offered": count + failed,
        "late_share": 0.0,
        "engine_cpu_ns": seconds * SECOND_NS // 3,
        "engine_busy_share": 0.3,
        "littles_law_residual": 0.01,
        "saturated": False,
        "operations": [measured(operation, count, draw=random.Random(seed), errors=failed)],
    }
    return PhaseTotals.model_validate(values | changes)


@dataclass
class SimulatedAgent:
    """Enrolled and online. `finished` are the trials it ended, in that order."""

    http: TestClient
    agent_id: str
    token: str
    broker_url: str
    broker_user: str
    finished: list[str] = field(default_factory=list)

    @classmethod
    def enroll(cls, admin: Caller, name: str = "bench-1", host_key: str = "host-1", **labels: str) -> "SimulatedAgent":
        enrollment = admin.post("/api/v1/agent-enrollments").json()["token"]
        body = {
            "enrollment_token": enrollment,
            "name": name,
            "host_key": host_key,
            "labels": labels,
            "agent_protocol": AGENT_PROTOCOL,
        }
        answer = EnrollResponse.model_validate(admin.http.post("/agent/v1/enroll", json=body).json())
        agent = cls(admin.http, answer.agent_id, answer.token, answer.broker_url, answer.broker_user)
        agent.heartbeat()
        return agent

    def call(self, path: str, body: Any) -> Response:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        content = body if isinstance(body, str) else body.model_dump_json()
        return self.http.post(f"/agent/v1/{path}", content=content, headers=headers)

    def heartbeat(self, stores: tuple[str, ...] = ("memcached", "redis")) -> bool:
        """Returns whether the agent is asked to renew its broker credential."""
        report = HeartbeatRequest(
            boot_id="boot-1",
            agent_version="0.1.0",
            inventory=INVENTORY,
            stores=[StoreOffer.model_validate({"kind": kind, "available": True}) for kind in stores],
            engines=[
                EngineOffer(
                    name="native",
                    version="0.1.0",
                    protocols=["memcached", "redis"],
                    operations=["get", "set", "multi_get"],
                )
            ],
            load=QUIET,
            broker_user=self.broker_user,
        )
        response = self.call("heartbeat", report)
        assert response.status_code == 200
        return bool(response.json().get("renew_broker_credential"))

    def renew_broker_credential(self) -> str:
        """Returns the address with the new user; the next heartbeat names it."""
        response = self.call("broker-credential", BrokerCredentialRequest(broker_user=self.broker_user))
        answer = BrokerCredential.model_validate(response.json())
        self.broker_url, self.broker_user = answer.broker_url, answer.broker_user
        return self.broker_url

    def ask(self, trial_id: str) -> ClaimResponse:
        response = self.call("claim", f'{{"trial_id": "{trial_id}"}}')
        assert response.status_code == 200, response.text
        return ClaimResponse.model_validate_json(response.text)

    def claim(self, trial_id: str) -> Assignment:
        answer = self.ask(trial_id)
        assert answer.assignment is not None, answer.reason
        return answer.assignment

    def renew(self, held: Assignment, state: str = "running") -> RenewResponse:
        response = self.try_renew(held, state)
        assert response.status_code == 200, response.text
        return RenewResponse.model_validate_json(response.text)

    def try_renew(self, held: Assignment, state: str = "running") -> Response:
        return self.call(f"leases/{held.lease_id}/renew", f'{{"fence": {held.fence}, "state": "{state}"}}')

    def send(self, held: Assignment, *samples: SampleEvent) -> Response:
        return self.call(f"leases/{held.lease_id}/samples", SamplesRequest(fence=held.fence, samples=list(samples)))

    def tell(self, held: Assignment, *records: TelemetryRecord) -> Response:
        """What store and host did."""
        return self.call(f"leases/{held.lease_id}/telemetry", TelemetryRequest(fence=held.fence, records=list(records)))

    def finish(self, held: Assignment, outcome: str = "succeeded", **changes: Any) -> FinishResponse:
        response = self.try_finish(held, outcome, **changes)
        assert response.status_code == 200, response.text
        self.finished.append(held.trial_id)
        return FinishResponse.model_validate_json(response.text)

    def try_finish(self, held: Assignment, outcome: str = "succeeded", **changes: Any) -> Response:
        return self.call(f"leases/{held.lease_id}/finish", finish_body(held, outcome, **changes))

    def fail(self, held: Assignment, code: str, outcome: str = "failed") -> FinishResponse:
        error = TrialError(code=code, message=f"It is {code}.", detail="last line of a log")
        return self.finish(held, outcome, error=error, summary=None)

    def execute(self, trial_id: str, *, seconds: int = 2, count: int = 2_000) -> FinishResponse:
        """A whole trial, as a well agent does it."""
        held = self.claim(trial_id)
        self.renew(held, "ready")
        self.renew(held, "running")
        for seq in range(seconds):
            assert self.send(held, sample(seq, count // seconds)).status_code == 200
            assert self.tell(held, second(seq), event(seq)).status_code == 200
        return self.finish(held, summary=summary(held, totals(seconds, count)), sample_count=seconds)

    def execute_all(self, trial_id: str | None) -> None:
        """From this trial to the end of its run."""
        while trial_id is not None:
            trial_id = self.execute(trial_id, seconds=1, count=500).next_trial_id


def kept(lost: int) -> DurabilityReport:
    """What was read back of 1,000 keys after a kill."""
    return DurabilityReport(
        acknowledged=5_000, keys=1_000, kept=1_000 - lost, newer=0, lost=lost, torn=0, errors=0, restart_s=0.4
    )


def summary(held: Assignment, *phases: PhaseTotals, stopped: bool = False) -> SummaryEvent:
    return SummaryEvent(plan_hash=held.trial_id, stopped=stopped, phases=list(phases))


def finish_body(held: Assignment, outcome: str = "succeeded", **changes: Any) -> FinishRequest:
    values: dict[str, Any] = {
        "fence": held.fence,
        "outcome": outcome,
        "summary": summary(held, totals(2, 2_000)) if outcome == "succeeded" else None,
        "engine": "native",
        "engine_version": "0.1.0",
        "engine_elapsed_s": 2.1,
        "inventory": INVENTORY,
        "load_before": QUIET,
        "store": STORE,
        "command_lines": ["memcached -l 127.0.0.1"],
    }
    return FinishRequest.model_validate(values | changes)
