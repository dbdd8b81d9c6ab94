"""The agent's end of `/agent/v1`: one kept-alive client, retries with back-off, refusals with their code.

Only a problem document of the api itself is a definite refusal. Everything else that goes wrong (no
connection, 5xx, 429, a proxy's own page) may pass and is tried again while the caller has patience.
"""

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import httpx2
import structlog
from loadstone_contracts.agent_calls import (
    AGENT_API_PREFIX,
    CheckClaimResponse,
    CheckFinishRequest,
    ClaimRequest,
    ClaimResponse,
    FinishRequest,
    FinishResponse,
    HeartbeatRequest,
    HeartbeatResponse,
    LeaseState,
    RenewRequest,
    RenewResponse,
    SamplesResponse,
)
from loadstone_contracts.enrollment import BrokerCredential, BrokerCredentialRequest, EnrollRequest, EnrollResponse
from loadstone_contracts.telemetry import TelemetryResponse
from pydantic import BaseModel, ValidationError

log = structlog.get_logger()

Answer = TypeVar("Answer", bound=BaseModel)
Result = TypeVar("Result")

FIRST_DELAY_S = 0.05
LONGEST_DELAY_S = 2.0
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


class ApiUnreachable(Exception):
    """No definite answer within the caller's patience; trying later may help."""


class ApiRefused(Exception):
    """The api's definite no."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail

    @property
    def ends_lease(self) -> bool:
        return self.code == "lease_lost" or self.status in (401, 404)


class AgentRevoked(ApiRefused):
    """The token is no longer good: this agent must stop."""


class Nothing(BaseModel):
    """An answer whose body does not matter."""


class _NoAnswer(Exception):
    def __init__(self, why: str, retry_after_s: float = 0.0) -> None:
        super().__init__(why)
        self.retry_after_s = retry_after_s


@dataclass(frozen=True)
class Patience:
    """How long to go on trying; `interrupt` ends the wait early."""

    total_s: float
    interrupt: threading.Event | None = None

    def is_interrupted(self) -> bool:
        return self.interrupt is not None and self.interrupt.is_set()

    def wait(self, seconds: float) -> None:
        if self.interrupt is None:
            time.sleep(seconds)
        else:
            self.interrupt.wait(seconds)


NO_PATIENCE = Patience(0.0)
SHORT = Patience(20.0)
HOUR = 3600.0


class AgentApi:
    """Safe to share between threads."""

    def __init__(self, url: str, token: str | None) -> None:
        self._client = httpx2.Client(
            base_url=url.rstrip("/") + AGENT_API_PREFIX,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=httpx2.Timeout(10.0, connect=3.0),
            # Longer than any pause between two calls of a trial: a new connection costs a round trip or three.
            limits=httpx2.Limits(keepalive_expiry=60.0),
            # A proxy of the environment has no business on loopback.
            trust_env=urlsplit(url).hostname not in LOOPBACK,
        )

    def close(self) -> None:
        self._client.close()

    def enroll(self, request: EnrollRequest) -> EnrollResponse:
        return self._post("/enroll", request, EnrollResponse, SHORT)

    def heartbeat(self, request: HeartbeatRequest) -> HeartbeatResponse:
        return self._post("/heartbeat", request, HeartbeatResponse, NO_PATIENCE)

    def renew_broker_credential(self, request: BrokerCredentialRequest, patience: Patience) -> BrokerCredential:
        return self._post("/broker-credential", request, BrokerCredential, patience)

    def claim(self, trial_id: str) -> ClaimResponse:
        return self._post("/claim", ClaimRequest(trial_id=trial_id), ClaimResponse, SHORT)

    def renew(self, lease_id: str, fence: int, state: LeaseState) -> RenewResponse:
        request = RenewRequest(fence=fence, state=state)
        return self._post(f"/leases/{lease_id}/renew", request, RenewResponse, NO_PATIENCE)

    def send_samples(self, lease_id: str, fence: int, samples: Sequence[bytes], patience: Patience) -> SamplesResponse:
        """`samples` are JSON lines that were parsed before, so they go out as the engine wrote them."""
        body = b'{"fence":%d,"samples":[%b]}' % (fence, b",".join(samples))
        return self._post(f"/leases/{lease_id}/samples", body, SamplesResponse, patience)

    def send_telemetry(
        self, lease_id: str, fence: int, records: Sequence[bytes], patience: Patience
    ) -> TelemetryResponse:
        """`records` are JSON lines, as they were spooled."""
        body = b'{"fence":%d,"records":[%b]}' % (fence, b",".join(records))
        return self._post(f"/leases/{lease_id}/telemetry", body, TelemetryResponse, patience)

    def finish(self, lease_id: str, request: FinishRequest, patience: Patience) -> FinishResponse:
        return self._post(f"/leases/{lease_id}/finish", request, FinishResponse, patience)

    def fetch_trace(self, lease_id: str, fence: int, path: Path) -> None:
        """Streams the trace of the lease's trial into `path`. Raises ApiRefused and ApiUnreachable."""
        self._with_patience(
            f"/leases/{lease_id}/trace", lambda: self._get_file(f"/leases/{lease_id}/trace", fence, path), SHORT
        )

    def _get_file(self, address: str, fence: int, path: Path) -> None:
        try:
            with self._client.stream("GET", address, params={"fence": fence}) as response:
                if not response.is_success:
                    response.read()
                    raise _refusal_of(response)
                with path.open("wb") as file:
                    for chunk in response.iter_bytes():
                        file.write(chunk)
        except httpx2.TransportError as error:
            raise _NoAnswer(f"{type(error).__name__}: {error}") from error

    def claim_check(self, check_id: str) -> CheckClaimResponse:
        return self._post(f"/checks/{check_id}/claim", b"{}", CheckClaimResponse, SHORT)

    def finish_check(self, check_id: str, request: CheckFinishRequest) -> None:
        self._post(f"/checks/{check_id}/finish", request, Nothing, SHORT)

    def _post(self, path: str, body: BaseModel | bytes, answer: type[Answer], patience: Patience) -> Answer:
        content = body if isinstance(body, bytes) else body.model_dump_json().encode()
        return self._with_patience(path, lambda: self._post_once(path, content, answer), patience)

    def _with_patience(self, path: str, call: Callable[[], Result], patience: Patience) -> Result:
        give_up_at = time.monotonic() + patience.total_s
        delay_s = FIRST_DELAY_S
        while True:
            try:
                return call()
            except _NoAnswer as fault:
                # Jitter: agents that lost the api together must not come back together.
                pause_s = max(delay_s * random.uniform(0.5, 1.5), fault.retry_after_s)  # noqa: S311
                if time.monotonic() + pause_s > give_up_at or patience.is_interrupted():
                    raise ApiUnreachable(str(fault)) from None
                log.debug("api_call_retried", path=path, error=str(fault), pause_s=round(pause_s, 2))
                patience.wait(pause_s)
                delay_s = min(delay_s * 2, LONGEST_DELAY_S)

    def _post_once(self, path: str, content: bytes, answer: type[Answer]) -> Answer:
        try:
            response = self._client.post(path, content=content, headers={"Content-Type": "application/json"})
        except httpx2.TransportError as error:
            raise _NoAnswer(f"{type(error).__name__}: {error}") from error
        if not response.is_success:
            raise _refusal_of(response)
        try:
            return answer.model_validate_json(response.content or b"{}")
        except ValidationError as error:
            raise ApiRefused(response.status_code, "bad_answer", str(error)[:500]) from error


def _refusal_of(response: httpx2.Response) -> Exception:
    status = response.status_code
    if status >= 500 or status == 429:
        return _NoAnswer(f"HTTP {status}", _retry_after_s(response))
    try:
        problem = response.json()
        code, detail = str(problem["code"]), str(problem.get("detail") or problem.get("title") or "")
    except (ValueError, KeyError, TypeError, AttributeError):
        return _NoAnswer(f"HTTP {status} that is not the api's: {response.text[:200]!r}")
    return (AgentRevoked if status == 401 else ApiRefused)(status, code, detail)


def _retry_after_s(response: httpx2.Response) -> float:
    try:
        return min(float(response.headers.get("Retry-After", "0")), 60.0)
    except ValueError:
        return 0.0
