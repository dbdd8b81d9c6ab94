"""The pictures and the badge of a link."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from loadstone.db import unit_of_work
from loadstone.http.pictures import PICTURE_RESPONSES, picture_response
from loadstone.http.problems import problems
from loadstone.sharing import pictures
from loadstone.sharing.drawing import Picture, PictureBusy, PictureForm, Theme, draw
from loadstone.sharing.endpoints.visitor import PREFIX, VISIT_PROBLEMS, Visitor
from loadstone.sharing.run_chart import Curve

router = APIRouter(prefix=PREFIX, tags=["shared"], responses=VISIT_PROBLEMS)

PanelId = Annotated[str | None, Query(max_length=40)]
Width = Annotated[int, Query(ge=200, le=2_400)]
Height = Annotated[int, Query(ge=120, le=1_600)]


@router.get("/chart.{form}", response_class=Response, responses={**PICTURE_RESPONSES, **problems(PictureBusy)})
def get_shared_chart(
    form: PictureForm,
    visitor: Visitor,
    request: Request,
    width: Width = 800,
    height: Height = 450,
    theme: Theme = "light",
    curve: Curve | None = None,
    panel: PanelId = None,
) -> Response:
    """The chart of the link as it was seen, with the figures of now; `curve` is which of a run's charts, `panel`
    which of a dashboard's panels."""
    with unit_of_work() as unit:
        chart = pictures.chart(unit, visitor, pictures.Wanted(curve, panel))
    content = draw(chart, Picture(form, width, height, theme))
    return picture_response(request, content, form, is_public=visitor.share.password_hash is None)


@router.get("/badge.svg", response_class=Response, responses=PICTURE_RESPONSES)
def get_badge(visitor: Visitor, request: Request, curve: Curve | None = None, panel: PanelId = None) -> Response:
    """Label and figure, such as `memcached get | 412k ops/s`."""
    with unit_of_work() as unit:
        content = pictures.badge(unit, visitor, pictures.Wanted(curve, panel))
    return picture_response(request, content, "svg", is_public=visitor.share.password_hash is None)
