"""Sends what earlier processes left in the spool, so that nothing measured is lost with an agent."""

import structlog
from loadstone_contracts.agent_calls import FinishRequest, HostInventory
from loadstone_contracts.engine_events import parse_event
from pydantic import ValidationError

from loadstone_agent.api import AgentApi, ApiRefused, ApiUnreachable, Patience
from loadstone_agent.errors import AgentRestarted
from loadstone_agent.settings import AgentSettings
from loadstone_agent.spool import Spool, SpoolTaken

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
        sent = _send_samples(spool, api, patience)
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


def _send_samples(spool: Spool, api: AgentApi, patience: Patience) -> int:
    lease = spool.read_lease()
    offset = sent = 0
    while True:
        lines, offset = spool.read_batch(offset)
        if not lines:
            return sent
        # A power failure can leave blocks of a file that were never written.
        whole = [line for line in lines if _is_whole(line)]
        if whole:
            api.send_samples(lease.lease_id, lease.fence, whole, patience)
        sent += len(whole)


def _is_whole(line: bytes) -> bool:
    try:
        return parse_event(line).event == "sample"
    except ValidationError:
        return False


def _crashed(fence: int, sample_count: int, inventory: HostInventory) -> FinishRequest:
    error = AgentRestarted("The agent was restarted during the trial: nothing to do, it is attempted again.")
    return FinishRequest(
        fence=fence,
        outcome="crashed",
        error=error.as_trial_error(),
        inventory=inventory,
        sample_count=sample_count,
    )
