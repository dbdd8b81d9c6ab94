"""`/api/v1/comparisons`, and what a run says in one sentence."""

import uuid

from fastapi import APIRouter, Response

from loadstone.comparisons import queueing, schemas, service
from loadstone.comparisons.run_verdict import run_verdict
from loadstone.comparisons.sides import SideEmpty, SidesAmbiguous
from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.idempotency import IdempotencyKeyReused, OnceOnly
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import Editor, Reader
from loadstone.http.problems import problems
from loadstone.paging import InvalidCursor, Page
from loadstone.plans.service import PlanRefused
from loadstone.runs.schemas import Run

router = APIRouter(prefix="/api/v1", tags=["comparisons"])

EVALUATION = (Unauthenticated, NotFound, SideEmpty, SidesAmbiguous, service.ComparisonTooLarge)


@router.post("/comparisons/evaluate", response_model=schemas.Comparison, responses=problems(*EVALUATION))
def evaluate_comparison(body: schemas.ComparisonDefinition, principal: Reader) -> Response:
    """Computed from the trials that count now; nothing is stored."""
    with unit_of_work() as unit:
        found = service.evaluate(unit, principal, body)
    # Made by our own code a moment ago: thousands of cells need no second validation.
    return Response(found.model_dump_json(), media_type="application/json")


@router.post("/comparisons", status_code=201, responses=problems(*EVALUATION, Forbidden, IdempotencyKeyReused))
def create_comparison(body: schemas.CreateComparison, principal: Editor, once: OnceOnly) -> schemas.SavedComparison:
    """Keeps the question; it is answered anew each time it is opened."""
    with unit_of_work() as unit:
        return once.answer(
            unit, principal, schemas.SavedComparison, lambda: service.create_comparison(unit, principal, body)
        )


@router.get("/comparisons", responses=problems(Unauthenticated, InvalidCursor))
def list_comparisons(
    principal: Reader, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Page[schemas.SavedComparisonItem]:
    """Newest first, without their answers."""
    with unit_of_work() as unit:
        return service.list_comparisons(unit, principal, cursor, limit)


@router.post(
    "/comparisons/queue-trials",
    status_code=201,
    responses=problems(
        *EVALUATION,
        Forbidden,
        IdempotencyKeyReused,
        PlanRefused,
        queueing.SidesNotAlike,
        queueing.SidesAreOneTarget,
    ),
)
def queue_trials(body: schemas.QueueTrials, principal: Editor, once: OnceOnly) -> Run:
    """Submits one interleaved run of the sides' targets at the settings that they share."""
    with unit_of_work() as unit:
        return once.answer(unit, principal, Run, lambda: queueing.queue_trials(unit, principal, body))


@router.get("/comparisons/{comparison_id}", responses=problems(*EVALUATION))
def get_comparison(comparison_id: uuid.UUID, principal: Reader) -> schemas.SavedComparison:
    with unit_of_work() as unit:
        return service.get_comparison(unit, principal, comparison_id)


@router.delete(
    "/comparisons/{comparison_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound)
)
def delete_comparison(comparison_id: uuid.UUID, principal: Editor) -> None:
    """The runs stay."""
    with unit_of_work() as unit:
        service.delete_comparison(unit, principal, comparison_id)


@router.get("/runs/{run_id}/verdict", responses=problems(Unauthenticated, NotFound))
def get_run_verdict(run_id: uuid.UUID, principal: Reader) -> schemas.RunVerdict:
    """Who leads, by how much and at which setting, in one sentence."""
    with unit_of_work() as unit:
        return run_verdict(unit, principal, run_id)
