"""Who asks, as a dependency. `main` says how credentials become a principal (`app.state.authenticate...`)."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request

from loadstone.db import bind_team
from loadstone.errors import Forbidden, Unauthenticated
from loadstone.principal import AgentPrincipal, Credentials, Principal

SESSION_COOKIE = "loadstone_session"

Authenticate = Callable[[Credentials], Principal]
AuthenticateAgent = Callable[[str | None], AgentPrincipal]


def bearer_token(request: Request) -> str | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def session_cookie(request: Request) -> str | None:
    """None beside an `Authorization` header: such a request is the header's alone, and no cookie signs it in."""
    return None if "authorization" in request.headers else request.cookies.get(SESSION_COOKIE)


def client_address(request: Request) -> str:
    return request.client.host if request.client else "unknown"


def _authenticate(request: Request) -> Principal:
    authenticate: Authenticate = request.app.state.authenticate
    return authenticate(Credentials(bearer_token(request), session_cookie(request), client_address(request)))


async def authenticate_reader(principal: Annotated[Principal, Depends(_authenticate)]) -> Principal:
    """Raises Unauthenticated.

    Asynchronous, because what a dependency binds in a thread of its own does not reach the endpoint.
    """
    bind_team(principal.team_id)
    return principal


Reader = Annotated[Principal, Depends(authenticate_reader)]
"""Anyone of the team. Routes that change something ask for an Editor or an Admin."""


def authenticate_editor(principal: Reader) -> Principal:
    """Raises Unauthenticated, Forbidden."""
    if principal.role == "viewer":
        raise Forbidden(
            "Viewers may look at everything and change nothing. Ask an admin of your team for the editor role."
        )
    return principal


def authenticate_admin(principal: Reader) -> Principal:
    """Raises Unauthenticated, Forbidden."""
    if principal.role != "admin":
        raise Forbidden("Only admins of the team may do this.")
    return principal


def authenticate_person(principal: Reader) -> Principal:
    """Raises Unauthenticated, Forbidden."""
    if principal.session_id is None:
        raise Forbidden("Only a person who is signed in may do this, not a token.")
    return principal


def authenticate_instance_admin(principal: Reader) -> Principal:
    """Raises Unauthenticated, Forbidden."""
    if not principal.is_instance_admin:
        raise Forbidden("Only admins of the whole installation may do this.")
    return principal


def find_person(request: Request) -> Principal | None:
    """Who is signed in, if anyone is: for pages that are open to all. Nothing is bound."""
    if session_cookie(request) is None:
        return None
    try:
        return authenticate_person(_authenticate(request))
    except (Unauthenticated, Forbidden):
        return None


Editor = Annotated[Principal, Depends(authenticate_editor)]
Admin = Annotated[Principal, Depends(authenticate_admin)]
Person = Annotated[Principal, Depends(authenticate_person)]
"""Someone of the team with a session of their own, whatever their role."""
InstanceAdmin = Annotated[Principal, Depends(authenticate_instance_admin)]
"""An admin of the installation; what they do beyond their team needs `unit_of_work(every_team=True)`."""
AnyoneSignedIn = Annotated[Principal | None, Depends(find_person)]


def _authenticate_agent(request: Request) -> AgentPrincipal:
    authenticate: AuthenticateAgent = request.app.state.authenticate_agent
    return authenticate(bearer_token(request))


async def authenticate_agent(agent: Annotated[AgentPrincipal, Depends(_authenticate_agent)]) -> AgentPrincipal:
    """Raises the registry's AgentRevoked."""
    bind_team(agent.team_id)
    return agent


CallingAgent = Annotated[AgentPrincipal, Depends(authenticate_agent)]
"""The agent that calls: every route under `/agent/v1` but `enroll` asks for it."""
