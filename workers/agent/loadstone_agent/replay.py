"""Sends what earlier processes left in the spool, so that nothing measured is lost with an agent."""

from collections.abc import Callable, Sequence

import structlog
from loadstone_contracts.agent_calls import FinishRequest, HostInventory
from loadstone_contracts.engine_events import parse_event
from loadstone_contracts.telemetry import TELEMETRY_RECORD
from pydantic import BaseModel, ValidationError

from loadstone_agent.api import AgentApi, ApiRefused, ApiUnreachable, Patience
from loadstone_agent.errors import AgentRestarted
from loadstone_agent.settings import AgentSettings
from loadstone_agent.spool import LineFile, Spool, SpooledLease, SpoolTaken

log = structlog.get_logger()


def replay_spool(settings: AgentSettings, api: AgentApi, inventory: HostInventory, patience: Patience) -> bool:
    """True when nothing is left to send. Spools of living trials are left alone."""
    if not settings.spool_dir.exists():
        return True
    left = 0
    for path in sorted(settings.spool_dir.glob("[!.]*")):
        try:
            spool = Spool(path)
        except SpoolTaken:
            continue
        left += not _deliver(spool, settings, api, inventory, patience)
    return left == 0


def _deliver(
    spool: Spool, settings: AgentSettings, api: AgentApi, inventory: HostInventory, patience: Patience
) -> bool:
    try:
        lease = spool.read_lease()
        sent = _send_lines(spool.samples, lease, _is_sample, api.send_samples, patience)
        _send_lines(spool.telemetry, lease, _is_record, api.send_telemetry, patience)
        request = spool.read_finish() or _crashed(lease.fence, sent, inventory)
        api.finish(lease.lease_id, request, patience)
    except ApiUnreachable as fault:
        log.warning("spool_replay_postponed", lease_id=spool.path.name, error=str(fault))
        spool.close()
        return False
    except (ApiRefused, ValidationError, FileNotFoundError) as fault:
        spool.refuse(settings.refused_dir, settings.agent_refused_spools_kept, str(fault))
        return True
    log.info("spool_replayed", lease_id=lease.lease_id, trial_id=lease.trial_id, samples=sent, outcome=request.outcome)
    spool.delete()
    return True


def _send_lines(
    file: LineFile,
    lease: SpooledLease,
    is_whole: Callable[[bytes], bool],
    send: Callable[[str, int, Sequence[bytes], Patience], BaseModel],
    patience: Patience,
) -> int:
    """How many went out."""
    offset = sent = 0
    while True:
        lines, offset = file.read_batch(offset)
        if not lines:
            return sent
        # A power failure can leave blocks of a file that were never written.
        whole = [line for line in lines if is_whole(line)]
        if whole:
            send(lease.lease_id, lease.fence, whole, patience)
        sent += len(whole)


def _is_sample(line: bytes) -> bool:
    try:
        return parse_event(line).event == "sample"
    except ValidationError:
        return False


def _is_record(line: bytes) -> bool:
    try:
        TELEMETRY_RECORD.validate_json(line)
    except ValidationError:
        return False
    return True


def _crashed(fence: int, sample_count: int, inventory: HostInventory) -> FinishRequest:
    error = AgentRestarted("The agent was restarted during the trial: nothing to do, it is attempted again.")
    return FinishRequest(
        fence=fence,
        outcome="crashed",
        error=error.as_trial_error(),
        inventory=inventory,
        sample_count=sample_count,
    )
