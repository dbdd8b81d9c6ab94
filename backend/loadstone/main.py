"""The api: routers, middleware, the page itself, and the process that serves them."""

import gc
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

import uvicorn
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute

from loadstone import health
from loadstone.accounts import endpoints as accounts
from loadstone.accounts import service as accounts_service
from loadstone.agents import endpoints as agents
from loadstone.agents import service as agents_service
from loadstone.audit import endpoints as audit
from loadstone.bundles import endpoints as bundles
from loadstone.comments import endpoints as comments
from loadstone.comparisons import endpoints as comparisons
from loadstone.dashboards import endpoints as dashboards
from loadstone.db import dispose_engine
from loadstone.dispatch import endpoints as dispatch
from loadstone.exports import endpoints as exports
from loadstone.http.middleware import AccessLog, BodyLimit, NobodyYet, OriginCheck, ResponseHeaders, SoundText
from loadstone.http.openapi import describe_api
from loadstone.http.problems import common_problems, register_problem_renderers
from loadstone.logging import configure_logging
from loadstone.notifications import endpoints as notifications
from loadstone.plans import endpoints as plans
from loadstone.queue import endpoints as queue
from loadstone.results import endpoints as results
from loadstone.runs import endpoints as runs
from loadstone.runs.service import read_frames
from loadstone.runs.stream import Hub
from loadstone.schedules import endpoints as schedules
from loadstone.settings import Settings, get_settings
from loadstone.sharing import endpoints as sharing
from loadstone.targets import endpoints as targets
from loadstone.traces import endpoints as traces
from loadstone.trends import endpoints as trends
from loadstone.workloads import endpoints as workloads

ROUTERS: Sequence[APIRouter] = (
    health.router,
    accounts.router,
    accounts.admin_router,
    audit.router,
    agents.router,
    agents.agent_router,
    targets.router,
    targets.agent_router,
    workloads.router,
    traces.router,
    plans.router,
    runs.router,
    results.router,
    comparisons.router,
    exports.router,
    comments.router,
    bundles.router,
    dashboards.router,
    schedules.router,
    queue.router,
    dispatch.agent_router,
    trends.router,
    notifications.router,
    sharing.router,
    sharing.shared_router,
)
# Requests that are still under way then are cut.
SHUTDOWN_S = 3


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    app.state.live_hub = Hub(get_settings().broker_url, read_frames)
    yield
    await app.state.live_hub.close()
    dispose_engine(close=True)


def create_app(settings: Settings | None = None) -> FastAPI:
    settings = settings or get_settings()
    app = FastAPI(
        title="Loadstone",
        version="0.1.0",
        lifespan=lifespan,
        openapi_url="/api/v1/openapi.json",
        # The interactive pages load scripts from elsewhere, which our policy forbids.
        docs_url=None,
        redoc_url=None,
        responses=common_problems(),
        generate_unique_id_function=_operation_id,
    )
    app.state.authenticate = accounts_service.authenticate
    app.state.authenticate_agent = agents_service.authenticate_agent
    register_problem_renderers(app)
    for router in ROUTERS:
        app.include_router(router)
    describe_api(app)
    app.add_middleware(SoundText)
    app.add_middleware(OriginCheck, public_url=settings.public_url)
    larger = {"/api/v1/bundles": settings.max_bundle_bytes, "/api/v1/traces": settings.max_trace_bytes}
    app.add_middleware(BodyLimit, max_body_bytes=settings.max_body_bytes, larger=larger)
    app.add_middleware(ResponseHeaders, is_https=settings.public_url.startswith("https://"))
    app.add_middleware(AccessLog)
    app.add_middleware(NobodyYet)
    if settings.web_dir is not None:
        app.frontend("/", directory=settings.web_dir, fallback="index.html")
    return app


def _operation_id(route: APIRoute) -> str:
    """The endpoint's own name: it becomes the function's name in generated clients."""
    return route.name


class Server(uvicorn.Server):
    """Ends the live streams when it is told to stop: it would wait for them, and then cut them with a traceback."""

    def __init__(self, app: FastAPI, settings: Settings) -> None:
        config = uvicorn.Config(
            app,
            host=settings.host,
            port=settings.port,
            log_config=None,
            access_log=False,
            server_header=False,
            # By a setting of our own: uvicorn would believe whoever connects from loopback.
            proxy_headers=bool(settings.trusted_proxies),
            forwarded_allow_ips=settings.trusted_proxies,
            timeout_graceful_shutdown=SHUTDOWN_S,
        )
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.state.live_hub.end_streams()
        await super().shutdown(sockets)


def serve() -> None:
    settings = get_settings()
    configure_logging(settings.log_level)
    server = Server(create_app(settings), settings)
    # What is loaded by now stays: looking through it for garbage again and again took half the time of large answers.
    gc.collect()
    gc.freeze()
    # Ctrl-C: the server has stopped in good order by then.
    with suppress(KeyboardInterrupt):
        server.run()


if __name__ == "__main__":
    serve()
