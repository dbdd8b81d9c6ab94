"""What the workload endpoints take and give."""

import uuid
from datetime import datetime

from loadstone_contracts.durability import KillRequest
from loadstone_contracts.engine_plan import Access, Dataset, Operation, ReplicaLag, UniformAccess
from pydantic import BaseModel, ConfigDict, Field


class TraceRef(BaseModel):
    """A trace of the team's, by the SHA-256 of its file: the same digest is the same load, wherever it is replayed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    digest: str = Field(pattern=r"^[0-9a-f]{64}$")


class WorkloadDefinition(BaseModel):
    """Dataset, operations with their mix, and which keys they touch: the engine's own types."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    dataset: Dataset
    operations: list[Operation] = Field(min_length=1, max_length=20)
    access: Access = UniformAccess()
    trace: TraceRef | None = None
    """Replayed in place of mix and access: `operations` name those that its lines may have."""
    replica_lag: ReplicaLag | None = None
    """Measure how far the replica that reads go to is behind; external targets with a replica only."""
    durability: KillRequest | None = None
    """Kill the store under this workload and read back what it had acknowledged; managed targets only."""


class WriteWorkload(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200)
    definition: WorkloadDefinition


class Workload(BaseModel):
    """`id` is this version's; `lineage_id` stays the same over all versions."""

    id: uuid.UUID
    lineage_id: uuid.UUID
    version: int
    name: str
    definition: WorkloadDefinition
    definition_hash: str
    created_at: datetime
