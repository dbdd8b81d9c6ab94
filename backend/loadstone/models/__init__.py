"""Every table, one file per noun. Importing this package registers all of them."""

from loadstone.models.account import ApiToken, Invitation, Membership, Team, User, UserSession
from loadstone.models.agent import Agent, AgentEnrollment, BrokerUser
from loadstone.models.alert import Alert, AlertEvent, ChangePoint
from loadstone.models.audit import AuditEntry
from loadstone.models.comment import Comment
from loadstone.models.comparison import Comparison
from loadstone.models.dashboard import Dashboard, DashboardVersion
from loadstone.models.decision import TrialDecision
from loadstone.models.environment import Environment, StoreConfiguration
from loadstone.models.idempotency import IdempotencyKey
from loadstone.models.lease import Hold, Lease
from loadstone.models.metric import TrialMetric
from loadstone.models.notification import NotificationChannel, NotificationDelivery
from loadstone.models.plan import Plan, PlanVersion
from loadstone.models.result import OperationResult, PointOperation, Sample
from loadstone.models.run import Point, Run, RunEvent
from loadstone.models.schedule import Schedule, ScheduleFiring
from loadstone.models.series import (
    Annotation,
    Series,
    SeriesExclusion,
    SeriesFacet,
    SeriesPoint,
    SeriesValue,
)
from loadstone.models.share import Share, ShareUnlock
from loadstone.models.target import Target, TargetCheck
from loadstone.models.telemetry import TelemetryEvent, TelemetryLayout, TelemetrySecond
from loadstone.models.trace import Trace
from loadstone.models.trial import Trial
from loadstone.models.workload import Workload

__all__ = [
    "Agent",
    "AgentEnrollment",
    "Alert",
    "AlertEvent",
    "Annotation",
    "ApiToken",
    "AuditEntry",
    "BrokerUser",
    "ChangePoint",
    "Comment",
    "Comparison",
    "Dashboard",
    "DashboardVersion",
    "Environment",
    "Hold",
    "IdempotencyKey",
    "Invitation",
    "Lease",
    "Membership",
    "NotificationChannel",
    "NotificationDelivery",
    "OperationResult",
    "Plan",
    "PlanVersion",
    "Point",
    "PointOperation",
    "Run",
    "RunEvent",
    "Sample",
    "Schedule",
    "ScheduleFiring",
    "Series",
    "SeriesExclusion",
    "SeriesFacet",
    "SeriesPoint",
    "SeriesValue",
    "Share",
    "ShareUnlock",
    "StoreConfiguration",
    "Target",
    "TargetCheck",
    "Team",
    "TelemetryEvent",
    "TelemetryLayout",
    "TelemetrySecond",
    "Trace",
    "Trial",
    "TrialDecision",
    "TrialMetric",
    "User",
    "UserSession",
    "Workload",
]
