"""`/agent/v1` in memory, over real HTTP: every body is validated by the contract's models."""

import socket
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from loadstone_contracts import agent_calls as calls
from loadstone_contracts import enrollment
from loadstone_contracts.agent_calls import AGENT_API_PREFIX
from loadstone_contracts.telemetry import TelemetryEvent, TelemetryRequest, TelemetryResponse, TelemetrySecond
from pydantic import BaseModel

TOKEN = "lsa_test"


class Refusal(Exception):
    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status = status
        self.code = code


class ApiInMemory:
    """What it was told is public; so are the switches of its faults."""

    def __init__(self) -> None:
        self.assignments: dict[str, calls.Assignment] = {}
        self.next_trials: dict[str, str] = {}
        self.checks: dict[str, calls.AssignedTarget] = {}
        self.asked: list[str] = []
        """The last words of the paths that were called."""
        self.claims: list[str] = []
        self.renewals: list[tuple[float, str, calls.RenewRequest]] = []
        self.heartbeats: list[calls.HeartbeatRequest] = []
        self.samples: dict[str, dict[int, Any]] = {}
        self.telemetry: dict[str, dict[tuple[str, int], TelemetrySecond | TelemetryEvent]] = {}
        self.sample_arrivals: list[tuple[float, str, int]] = []
        self.finishes: dict[str, calls.FinishRequest] = {}
        self.check_results: dict[str, calls.CheckFinishRequest] = {}
        self.broker_user: str | None = None
        """Where set, the agent is asked to take this one and is given `broker_url`."""
        self.broker_url = "redis://127.0.0.1:1/0"
        self.cancelled: set[str] = set()
        self.lost_leases: set[str] = set()
        self.refused_paths: dict[str, Refusal] = {}
        self.trace = b""
        """What is sent to whoever asks for the trace of a lease."""
        self.trace_requests: list[str] = []
        self.is_gone = False
        self.answers_to_lose = 0
        """How many requests are carried out without being answered."""
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self.is_gone = True
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def assign(self, assignment: calls.Assignment) -> None:
        self.assignments[assignment.trial_id] = assignment

    def wait_for(self, is_so: Callable[[], bool], within_s: float = 60.0) -> None:
        with self.changed:
            assert self.changed.wait_for(is_so, within_s), "the agent did not do it in time"

    def sequence(self, lease_id: str) -> list[int]:
        return sorted(self.samples.get(lease_id, {}))

    def seconds(self, lease_id: str) -> list[TelemetrySecond]:
        found = self.telemetry.get(lease_id, {}).values()
        return sorted((one for one in found if isinstance(one, TelemetrySecond)), key=lambda one: one.seq)

    def events(self, lease_id: str) -> list[TelemetryEvent]:
        found = self.telemetry.get(lease_id, {}).values()
        return sorted((one for one in found if isinstance(one, TelemetryEvent)), key=lambda one: one.seq)

    def states(self) -> list[str]:
        """The lease states as they were told, without repetitions."""
        told = [renewal.state for _, _, renewal in self.renewals]
        return [state for index, state in enumerate(told) if index == 0 or told[index - 1] != state]

    def answer(self, path: str, body: bytes) -> BaseModel | bytes | None:
        parts = path.removeprefix(AGENT_API_PREFIX + "/").partition("?")[0].split("/")
        with self.changed:
            self.asked.append(parts[-1])
            if parts[-1] in self.refused_paths:
                raise self.refused_paths[parts[-1]]
            answer = self._answer(parts, body)
            self.changed.notify_all()
            return answer

    def _answer(self, parts: list[str], body: bytes) -> BaseModel | bytes | None:
        match parts:
            case ["enroll"]:
                return self._enroll(enrollment.EnrollRequest.model_validate_json(body))
            case ["heartbeat"]:
                beat = calls.HeartbeatRequest.model_validate_json(body)
                self.heartbeats.append(beat)
                renew = True if self.broker_user not in (None, beat.broker_user) else None
                return calls.HeartbeatResponse(draining=False, heartbeat_every_s=0.2, renew_broker_credential=renew)
            case ["broker-credential"]:
                enrollment.BrokerCredentialRequest.model_validate_json(body)
                return enrollment.BrokerCredential(broker_url=self.broker_url, broker_user=self.broker_user or "user")
            case ["claim"]:
                return self._claim(calls.ClaimRequest.model_validate_json(body))
            case ["leases", lease_id, "renew"]:
                return self._renew(lease_id, calls.RenewRequest.model_validate_json(body))
            case ["leases", lease_id, "samples"]:
                return self._samples(lease_id, calls.SamplesRequest.model_validate_json(body))
            case ["leases", lease_id, "telemetry"]:
                return self._telemetry(lease_id, TelemetryRequest.model_validate_json(body))
            case ["leases", lease_id, "finish"]:
                return self._finish(lease_id, calls.FinishRequest.model_validate_json(body))
            case ["leases", lease_id, "trace"]:
                self.trace_requests.append(lease_id)
                return self.trace
            case ["checks", check_id, "claim"]:
                return calls.CheckClaimResponse(target=self.checks.get(check_id))
            case ["checks", check_id, "finish"]:
                self.check_results[check_id] = calls.CheckFinishRequest.model_validate_json(body)
                return None
        raise Refusal(404, "not_found")

    def _enroll(self, request: enrollment.EnrollRequest) -> enrollment.EnrollResponse:
        if request.enrollment_token != "lse_good":
            raise Refusal(401, "enrollment_invalid")
        return enrollment.EnrollResponse(
            agent_id="a1",
            token=TOKEN,
            queue="agent.a1",
            broker_url="redis://agent:secret@127.0.0.1:1/0",
            broker_user="agent",
        )

    def _claim(self, request: calls.ClaimRequest) -> calls.ClaimResponse:
        self.claims.append(request.trial_id)
        assignment = self.assignments.get(request.trial_id)
        if assignment is None or assignment.lease_id in self.finishes:
            return calls.ClaimResponse(assignment=None, reason="not_queued")
        return calls.ClaimResponse(assignment=assignment)

    def _hold(self, lease_id: str, fence: int) -> calls.Assignment:
        held = [one for one in self.assignments.values() if one.lease_id == lease_id and one.fence == fence]
        if not held or lease_id in self.lost_leases:
            raise Refusal(409, "lease_lost")
        return held[0]

    def _renew(self, lease_id: str, request: calls.RenewRequest) -> calls.RenewResponse:
        self._hold(lease_id, request.fence)
        if lease_id in self.finishes:
            raise Refusal(409, "lease_lost")
        self.renewals.append((time.monotonic(), lease_id, request))
        start_at = time.time_ns() if request.state == "ready" else None
        return calls.RenewResponse(cancel=lease_id in self.cancelled, start_at_unix_ns=start_at)

    def _samples(self, lease_id: str, request: calls.SamplesRequest) -> calls.SamplesResponse:
        self._hold(lease_id, request.fence)
        stored = self.samples.setdefault(lease_id, {})
        for sample in request.samples:
            self.sample_arrivals.append((time.time(), lease_id, sample.seq))
            assert stored.get(sample.seq, sample) == sample, "one number, two samples"
            stored[sample.seq] = sample
        return calls.SamplesResponse(acknowledged=len(request.samples))

    def _telemetry(self, lease_id: str, request: TelemetryRequest) -> TelemetryResponse:
        self._hold(lease_id, request.fence)
        stored = self.telemetry.setdefault(lease_id, {})
        for record in request.records:
            key = (record.record, record.seq)
            assert stored.get(key, record) == record, "one number, two records"
            stored[key] = record
        return TelemetryResponse(acknowledged=len(request.records))

    def _finish(self, lease_id: str, request: calls.FinishRequest) -> calls.FinishResponse:
        assignment = self._hold(lease_id, request.fence)
        self.finishes.setdefault(lease_id, request)
        return calls.FinishResponse(next_trial_id=self.next_trials.get(assignment.trial_id))


def _as_bytes(answer: BaseModel | bytes | None) -> bytes:
    if isinstance(answer, BaseModel):
        return answer.model_dump_json().encode()
    return answer or b""


def _handler_of(api: ApiInMemory) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_GET(self) -> None:
            self._give(*self._carry_out(b""), "text/csv")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if api.is_gone:
                return self._hang_up()
            status, answer = self._carry_out(body)
            if api.is_gone or api.answers_to_lose > 0:
                api.answers_to_lose -= 1
                return self._hang_up()
            return self._give(status, answer, "application/json")

        def _give(self, status: int, answer: bytes, media_type: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", media_type if status == 200 else "application/problem+json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def _carry_out(self, body: bytes) -> tuple[int, bytes]:
            is_known = self.headers["Authorization"] == f"Bearer {TOKEN}" or self.path.endswith("/enroll")
            try:
                if not is_known:
                    raise Refusal(401, "agent_revoked")
                answer = api.answer(self.path, body)
            except Refusal as refusal:
                problem = f'{{"status":{refusal.status},"code":"{refusal.code}","detail":"as the test wants it"}}'
                return refusal.status, problem.encode()
            return 200, _as_bytes(answer)

        def _hang_up(self) -> None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    return Handler
