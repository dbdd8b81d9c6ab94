"""The pictures and the badge of a link, from the figures as they are now."""

import uuid
from dataclasses import dataclass

from loadstone.db import UnitOfWork
from loadstone.sharing import visits
from loadstone.sharing.badge import badge_svg
from loadstone.sharing.chart import Chart
from loadstone.sharing.drawing import Picture, draw
from loadstone.sharing.run_chart import Curve, run_badge, run_chart
from loadstone.sharing.service import Visit


@dataclass(frozen=True)
class Wanted:
    """What of the subject; what does not fit it is passed over."""

    curve: Curve = "throughput"


def chart(unit: UnitOfWork, visit: Visit, wanted: Wanted) -> Chart:
    """Raises NotFound."""
    run_id = uuid.UUID(visit.share.subject["run_id"])
    run, points = visits.get_run(unit, visit, run_id), visits.list_points(unit, visit, run_id)
    return run_chart(run, points.items, visit.share.view, wanted.curve, visit.share.title)


def picture(unit: UnitOfWork, visit: Visit, wanted: Wanted, how: Picture) -> bytes:
    """Raises NotFound. Charts that were drawn already are kept."""
    return draw(chart(unit, visit, wanted), how)


def badge(unit: UnitOfWork, visit: Visit, wanted: Wanted) -> bytes:
    """Raises NotFound."""
    run_id = uuid.UUID(visit.share.subject["run_id"])
    run, points = visits.get_run(unit, visit, run_id), visits.list_points(unit, visit, run_id)
    return badge_svg(*run_badge(run, points.items, visit.share.view, wanted.curve)).encode()
