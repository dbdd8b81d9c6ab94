"""`loadstone-agent`: enroll this host, run its worker, and see what it can do."""

import logging
import os
import shutil
import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated

import structlog
import typer
from loadstone_contracts.enrollment import AGENT_PROTOCOL, EnrollRequest

from loadstone_agent.api import AgentApi, ApiRefused, ApiUnreachable
from loadstone_agent.broker import refuse_plain_text
from loadstone_agent.cpus import shared_cpu_warning, split_cpus
from loadstone_agent.engines.catalog import EngineCatalog
from loadstone_agent.engines.native import NativeEngine
from loadstone_agent.errors import AgentError, StoreMissing
from loadstone_agent.host import host_key, take_inventory
from loadstone_agent.identity import Identity, identity_path, save_identity
from loadstone_agent.settings import AgentSettings, get_settings
from loadstone_agent.stores import KINDS
from loadstone_agent.stores.redaction import redact_event
from loadstone_agent.typed import typed_here
from loadstone_agent.worker import run_worker

app = typer.Typer(no_args_is_help=True, help=__doc__)


def configure_logging() -> None:
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            redact_event,
            structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def fail(message: str) -> typer.Exit:
    typer.echo(message, err=True)
    return typer.Exit(1)


def parse_labels(labels: list[str]) -> dict[str, str]:
    pairs = [label.partition("=") for label in labels]
    if any(not key or not found for key, found, _ in pairs):
        raise typer.BadParameter("a label is written key=value")
    return {key: value for key, _, value in pairs}


@app.command()
def enroll(
    url: Annotated[str, typer.Option(help="The address of the service, e.g. http://127.0.0.1:8080")],
    token: Annotated[str, typer.Option(help="The enrollment token from the Agents page")],
    name: Annotated[str, typer.Option(help="How this host is called on the pages")],
    label: Annotated[list[str] | None, typer.Option(help="key=value, any number of times")] = None,
) -> None:
    """Make this host an agent of a Loadstone service."""
    settings = get_settings()
    host = settings.host_key or host_key()
    request = EnrollRequest(
        enrollment_token=token,
        name=name,
        host_key=host,
        labels=parse_labels(label or []),
        agent_protocol=AGENT_PROTOCOL,
    )
    try:
        with closing(AgentApi(url, None)) as api:
            answer = api.enroll(request)
    except ApiRefused as refusal:
        raise fail(f"The service refused to enroll this host ({refusal.code}): {refusal.detail}") from None
    except ApiUnreachable as fault:
        raise fail(f"{url} does not answer ({fault}): check the address and that the service runs.") from None
    save_identity(settings.agent_dir, Identity(name=name, url=url, **answer.model_dump()))
    try:
        refuse_plain_text(settings, answer.broker_url)
    except AgentError as error:
        typer.echo(f"warning: {error.message}", err=True)
    typer.echo(f"Enrolled as {name}; identity kept in {identity_path(settings.agent_dir)}. "
               f"Start with: {typed_here('loadstone-agent start')}")  # fmt: skip


@app.command()
def start() -> None:
    """Run the worker until it is told to stop."""
    configure_logging()
    try:
        run_worker(get_settings())
    except AgentError as error:
        raise fail(error.message) from None


stores_app = typer.Typer(invoke_without_command=True)
app.add_typer(stores_app, name="stores")


@stores_app.callback()
def stores(context: typer.Context) -> None:
    """What this host can start, and the command that mends what it cannot."""
    if context.invoked_subcommand is not None:
        return
    for offer in (offer for kind in KINDS.values() for offer in kind.offers()):
        state = f"{offer.version or '':<12} {offer.binary if offer.available else f'missing: {offer.remedy}'}"
        typer.echo(f"{offer.kind:<12} {state}")


@stores_app.command()
def install(
    kind: Annotated[str, typer.Argument(help="As `loadstone-agent stores` lists it")],
    version: Annotated[str | None, typer.Option(help="One of those that the kind can have, e.g. 5.6.14")] = None,
) -> None:
    """Install what a kind of store needs on this host."""
    found = next((one for one in KINDS.values() if one.kind == kind), None)
    if found is None:
        raise fail(f"There is no kind {kind!r}. Known: {', '.join(KINDS)}.")
    _find_a_home(get_settings())
    try:
        found.install(typer.echo, version)
    except StoreMissing as missing:
        raise fail(f"{missing.message}\n{missing.detail}".strip()) from None
    _warn_of_closed_folders(get_settings())
    _tell_whose(kind, get_settings())


def _find_a_home(settings: AgentSettings) -> None:
    """Accounts of services have none, and Maven and Go keep there what they fetch."""
    if not os.access(Path.home(), os.W_OK):
        home = settings.agent_dir / "home"
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.environ["HOME"] = str(home)
        # Java asks the list of accounts instead.
        os.environ["MAVEN_OPTS"] = f"{os.environ.get('MAVEN_OPTS', '')} -Duser.home={home}".strip()


def _tell_whose(name: str, settings: AgentSettings) -> None:
    typer.echo(f"{name} is ready for the agent in {settings.agent_dir}, which offers it within seconds where it runs.")
    if not identity_path(settings.agent_dir).exists():
        typer.echo("warning: no agent is enrolled there: the page Agents shows each agent's own command.", err=True)


def _warn_of_closed_folders(settings: AgentSettings) -> None:
    """Root starts servers as another user, who must be able to enter every folder above them."""
    closed = [
        folder for folder in settings.servers_dir.parents if folder.exists() and not folder.stat().st_mode & 0o001
    ]
    if os.geteuid() == 0 and closed:
        typer.echo(
            f"warning: {settings.store_user} cannot enter {closed[-1]}, so servers below it do not start as that user: "
            "set LOADSTONE_AGENT_DIR to a folder elsewhere, such as /var/lib/loadstone-agent."
        )


engines_app = typer.Typer(invoke_without_command=True)
app.add_typer(engines_app, name="engines")


def engine_catalog() -> EngineCatalog:
    settings = get_settings()
    return EngineCatalog(NativeEngine(settings.engine), settings.engines_dir, settings.engines_file)


@engines_app.callback()
def engines(context: typer.Context) -> None:
    """What can make the load on this host, and what gets what cannot."""
    if context.invoked_subcommand is not None:
        return
    configure_logging()
    for offer in engine_catalog().offers():
        state = f"{offer.version:<28} {offer.binary or ''}" if offer.available else f"missing: {offer.remedy}"
        typer.echo(f"{offer.name:<18} {state}".rstrip())


@engines_app.command("install")
def install_engine(name: Annotated[str, typer.Argument(help="As `loadstone-agent engines` lists it")]) -> None:
    """Get what an engine needs onto this host: packages, or a client library built here."""
    _find_a_home(get_settings())
    try:
        engine_catalog().install(name, typer.echo)
    except AgentError as error:
        raise fail(f"{error.message}\n{error.detail}".strip()) from None
    _tell_whose(name, get_settings())


@app.command()
def doctor() -> None:
    """Look for what would keep trials from running here; exit code 1 when something would."""
    settings = get_settings()
    inventory = take_inventory()
    typer.echo(f"host     {inventory.agent_class}; {inventory.operating_system}, kernel {inventory.kernel}")
    _show_cpus(settings)
    settings.agent_dir.mkdir(mode=0o711, parents=True, exist_ok=True)
    free_bytes = shutil.disk_usage(settings.agent_dir).free
    is_roomy = free_bytes >= settings.agent_min_free_bytes
    typer.echo(
        f"disk     {free_bytes // 2**20} MiB free under {settings.agent_dir}{'' if is_roomy else ': too little'}"
    )
    try:
        offer = NativeEngine(settings.engine).offer()
        typer.echo(f"engine   {offer.name} {offer.version}")
    except AgentError as error:
        raise fail(f"engine   {error.message}") from None
    if not is_roomy:
        raise typer.Exit(1)


def _show_cpus(settings: AgentSettings) -> None:
    split = split_cpus(settings)
    typer.echo(f"cpus     stores {split.store}, engine {split.engine}")
    warning = shared_cpu_warning(split.store, split.engine)
    if warning is not None:
        typer.echo(f"warning  {warning.message}")
