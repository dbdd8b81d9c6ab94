"""Tells the api that this agent lives and what it offers, and sends what dead processes left in the spool."""

import os
import signal
import threading
import uuid
from importlib.metadata import version

import structlog
from loadstone_contracts.agent_calls import HeartbeatRequest, HeartbeatResponse

from loadstone_agent.agent import Agent
from loadstone_agent.api import AgentRevoked, ApiRefused, ApiUnreachable, Patience
from loadstone_agent.broker import BrokerAccess
from loadstone_agent.host import LoadMeter
from loadstone_agent.offers import HostOffers
from loadstone_agent.replay import replay_spool

log = structlog.get_logger()

RETRY_EVERY_S = 2.0


class Heartbeat:
    def __init__(self, agent: Agent, broker: BrokerAccess) -> None:
        self._agent = agent
        self._broker = broker
        self._boot_id = uuid.uuid4().hex
        self._offers = HostOffers(agent.settings, agent.engines)
        self._meter = LoadMeter()
        self._is_over = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._beat_on, name="heartbeat", daemon=True).start()

    def stop(self) -> None:
        self._is_over.set()

    def _beat_on(self) -> None:
        pause_s = 0.0
        while not self._is_over.wait(pause_s):
            try:
                answer = self._beat()
                pause_s = answer.heartbeat_every_s
                if answer.renew_broker_credential:
                    self._broker.renew()
                replay_spool(self._agent.settings, self._agent.api, self._agent.inventory, Patience(0.0))
            except AgentRevoked as refusal:
                log.error("agent_revoked", message="Enroll this host again to use it.", error=str(refusal))
                os.kill(os.getpid(), signal.SIGTERM)
                return
            except (ApiRefused, ApiUnreachable) as fault:
                log.warning("heartbeat_unanswered", error=str(fault))
                pause_s = RETRY_EVERY_S

    def _beat(self) -> HeartbeatResponse:
        stores, engines = self._offers.read()
        request = HeartbeatRequest(
            boot_id=self._boot_id,
            agent_version=version("loadstone-agent"),
            inventory=self._agent.inventory,
            stores=stores,
            engines=engines,
            load=self._meter.read(),
            broker_user=self._broker.user_name,
        )
        self._meter.mark()
        return self._agent.api.heartbeat(request)
