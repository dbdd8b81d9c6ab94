"""Executes one claimed trial and reports its outcome, whatever happens."""

import time
import traceback

import structlog
from loadstone_contracts.agent_calls import Assignment, FinishRequest, HostLoad
from loadstone_contracts.engine_plan import EnginePlan

from loadstone_agent.agent import Agent
from loadstone_agent.api import HOUR, NO_PATIENCE, ApiRefused, ApiUnreachable, Patience
from loadstone_agent.engines.base import Engine
from loadstone_agent.engines.native import NativeEngine
from loadstone_agent.errors import AgentError, AgentInternal, BadPlan, DiskFull, SamplesRefused, TargetLost
from loadstone_agent.host import LoadMeter, TrialMeter
from loadstone_agent.spool import Spool, check_free_space
from loadstone_agent.stores.redaction import redact_finish, unechoed_finish
from loadstone_agent.stores.session import StoreSession
from loadstone_agent.telemetry.collector import TelemetryCollector
from loadstone_agent.trial.durability import CrashCheck
from loadstone_agent.trial.engine_run import MeasuredRun
from loadstone_agent.trial.interruption import Interruption, TrialInterrupted
from loadstone_agent.trial.lease import LeaseKeeper
from loadstone_agent.trial.record import TrialRecord
from loadstone_agent.trial.sender import SampleSender
from loadstone_agent.trial.target import ReadyTarget, check_disk, obtain_target, read_facts, renew_marker, reset_target
from loadstone_agent.trial.trace import work_on_this_host

log = structlog.get_logger()

START_MARGIN_NS = 50_000_000
"""A start that is nearer than this is now."""
PROMPT_S = 1.0
"""How long an api that is there may take for the last samples."""


class TrialExecution:
    def __init__(self, agent: Agent, stores: StoreSession, assignment: Assignment, interruption: Interruption) -> None:
        self._agent = agent
        self._stores = stores
        self._assignment = assignment
        self._work = assignment.work
        self._interruption = interruption
        self._record = TrialRecord()
        self._lease = LeaseKeeper(agent.api, assignment, interruption)

    def run(self) -> str | None:
        """The next trial of the same run, if the api names one."""
        settings = self._agent.settings
        with self._lease:
            try:
                check_free_space(settings.agent_dir, settings.agent_min_free_bytes)
                spool = Spool.create(settings.spool_dir, self._assignment)
            except DiskFull as error:
                self._record.fail(error)
                return self._send_finish(self._finish_request(0))
            try:
                return self._run_with(spool)
            finally:
                spool.close()

    def _run_with(self, spool: Spool) -> str | None:
        sender = SampleSender(self._agent.api, spool, self._assignment, self._interruption)
        try:
            self._conduct(spool, sender)
            self._record.succeed()
        except TrialInterrupted as interrupted:
            self._record.interrupt(interrupted.reason)
        except Exception as error:  # noqa: BLE001 - a run always ends in a terminal status
            self._explain(error)
        finally:
            self._let_go_of_store()
        self._lease.enter("finishing")
        return self._report(spool, sender)

    def _conduct(self, spool: Spool, sender: SampleSender) -> None:
        self._work = work_on_this_host(self._agent.api, self._assignment, self._agent.settings.traces_dir)
        load_before = self._rest()
        target = obtain_target(self._agent, self._stores, self._assignment, self._interruption, self._record)
        if target.managed is None:
            return self._measure(target, spool, sender, load_before)
        with self._interruption.acting(target.managed.stop):
            try:
                return self._measure(target, spool, sender, load_before)
            except AgentError:
                # Whatever else was seen, a dead store is the reason.
                if target.managed.has_died():
                    raise target.managed.death() from None
                raise

    def _rest(self) -> HostLoad | None:
        if self._assignment.not_before_unix_ns is None:
            return None
        self._lease.enter("resting")
        meter = LoadMeter()
        self._interruption.wait_until(self._assignment.not_before_unix_ns)
        self._lease.enter("preparing")
        return meter.read()

    def _measure(self, target: ReadyTarget, spool: Spool, sender: SampleSender, load: HostLoad | None) -> None:
        reset = self._assignment.reset
        with target.kind.control(target.endpoint) as control:
            reset_target(control, target, self._assignment.target, reset)
            meter = LoadMeter()
            self._record.store = read_facts(control, target, self._record)
        target.drop_page_cache()
        start_at_unix_ns = self._lease.agree_start()
        self._record.load_before = load or meter.read()
        plan, engine = self._plan(target, start_at_unix_ns), self._agent.engines.get(self._assignment.engine)
        self._lease.enter("running")
        during = TrialMeter(target.managed.cpu_s if target.managed else None)
        with TelemetryCollector(target.kind, target.endpoint, target.managed, sender.put_telemetry) as telemetry:
            run = MeasuredRun(spool, sender, self._record, telemetry)
            if self._assignment.kill is None:
                run.conduct(engine, plan, spool.path, target, self._interruption)
            else:
                self._check_durability(run, engine, plan, spool, target)
        self._record.load_during = during.read()
        if self._assignment.kill is None:
            with target.kind.control(target.endpoint) as control:
                self._record.keys_held = control.keys_held()
            check_disk(control, target, self._record)
        renew_marker(target, reset)

    def _check_durability(
        self, run: MeasuredRun, engine: Engine, plan: EnginePlan, spool: Spool, target: ReadyTarget
    ) -> None:
        """Raises AgentError and TrialInterrupted."""
        if target.managed is None or self._assignment.kill is None or not isinstance(engine, NativeEngine):
            raise BadPlan("A check of durability needs our own engine and a store that was started here.")
        check = CrashCheck(self._assignment.kill, target.managed, spool.path, self._interruption)
        plan = check.journalled(plan)
        run.on_phase = check.hear
        loss: TargetLost | None = None
        try:
            run.conduct(engine, plan, spool.path, target, self._interruption)
        except TargetLost as error:
            loss = error
        check.judge_loss(loss)
        self._record.durability = check.audit(engine, plan)

    def _plan(self, target: ReadyTarget, start_at_unix_ns: int | None) -> EnginePlan:
        is_ahead = start_at_unix_ns is not None and start_at_unix_ns > time.time_ns() + START_MARGIN_NS
        return EnginePlan(
            **dict(self._work),
            label=f"{self._assignment.trial_id}/{self._assignment.attempt}",
            target=target.for_engine(),
            cpus=self._agent.cpus.engine,
            start_at_unix_ns=start_at_unix_ns if is_ahead else None,
        )

    def _explain(self, error: Exception) -> None:
        reason = self._interruption.reason
        if reason is not None:
            self._record.interrupt(reason)
        elif isinstance(error, AgentError):
            self._record.fail(error)
        else:
            log.exception("trial_fault", trial_id=self._assignment.trial_id)
            message = f"The agent failed with {type(error).__name__}: report the detail as a fault of Loadstone."
            self._record.fail(AgentInternal(message, traceback.format_exc()))

    def _let_go_of_store(self) -> None:
        target = self._assignment.target
        if not (self._assignment.keep_store and self._record.outcome == "succeeded"):
            self._stores.discard((self._assignment.run_id, target.instance_key))

    def _report(self, spool: Spool, sender: SampleSender) -> str | None:
        request = self._spool_finish(spool)
        is_delivered = sender.drain(PROMPT_S) or self._wait_longer(spool, sender)
        if self._interruption.lease_lost.is_set():
            return self._set_aside(spool, "the lease was lost")
        if sender.refusal is not None:
            message = "The api refused samples: agent and api must be of the same version."
            self._record.fail(SamplesRefused(message, str(sender.refusal)))
            request = self._spool_finish(spool)
        elif not is_delivered:
            log.warning("trial_left_in_spool", trial_id=self._assignment.trial_id)
            return None
        try:
            next_trial_id = self._send_finish(request, spool)
        except ApiRefused as refusal:
            return self._set_aside(spool, str(refusal))
        except ApiUnreachable as fault:
            log.warning("trial_left_in_spool", trial_id=self._assignment.trial_id, error=str(fault))
            return None
        spool.delete()
        return next_trial_id

    def _wait_longer(self, spool: Spool, sender: SampleSender) -> bool:
        self._make_durable(spool)
        return sender.drain()

    def _make_durable(self, spool: Spool | None) -> None:
        """Only when it has to wait for the api: the disk's time would be every trial's otherwise."""
        try:
            if spool is not None:
                spool.sync()
        except (DiskFull, FileNotFoundError) as error:
            log.warning("spool_not_durable", trial_id=self._assignment.trial_id, error=str(error))

    def _set_aside(self, spool: Spool, why: str) -> str | None:
        settings = self._agent.settings
        spool.refuse(settings.refused_dir, settings.agent_refused_spools_kept, why)
        return None

    def _spool_finish(self, spool: Spool) -> FinishRequest:
        request = self._finish_request(spool.samples.line_count)
        try:
            spool.write_finish(request)
        except DiskFull as error:
            log.warning("finish_not_spooled", trial_id=self._assignment.trial_id, error=error.detail)
        return request

    def _finish_request(self, sample_count: int) -> FinishRequest:
        request = self._record.finish(self._assignment.fence, self._agent.inventory, sample_count)
        clean = redact_finish(request, filter(None, [self._assignment.target.password]))
        return unechoed_finish(clean) if self._assignment.target.mode == "external" else clean

    def _send_finish(self, request: FinishRequest, spool: Spool | None = None) -> str | None:
        api, lease_id = self._agent.api, self._assignment.lease_id
        try:
            answer = api.finish(lease_id, request, NO_PATIENCE)
        except ApiUnreachable:
            self._make_durable(spool)
            answer = api.finish(lease_id, request, Patience(HOUR, self._interruption.hurry))
        log.info(
            "trial_finished",
            trial_id=self._assignment.trial_id,
            outcome=request.outcome,
            code=request.error.code if request.error else None,
            samples=request.sample_count,
        )
        return answer.next_trial_id
