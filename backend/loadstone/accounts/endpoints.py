"""`/api/v1/session`, `/me`, `/tokens`, `/sessions`, `/members`, `/invitations` and `/admin`."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from loadstone.accounts import api_tokens, installation, invitations, members, schemas, service, sessions
from loadstone.db import unit_of_work
from loadstone.errors import Forbidden, NotFound, Unauthenticated
from loadstone.http.paging import DEFAULT_LIMIT, Cursor, Limit
from loadstone.http.principal import (
    SESSION_COOKIE,
    Admin,
    AnyoneSignedIn,
    InstanceAdmin,
    Person,
    Reader,
    client_address,
    session_cookie,
)
from loadstone.http.problems import problems
from loadstone.paging import Page
from loadstone.principal import Credentials
from loadstone.settings import get_settings

router = APIRouter(prefix="/api/v1", tags=["account"])
admin_router = APIRouter(prefix="/api/v1/admin", tags=["installation"])


@router.post("/session", responses=problems(service.WrongCredentials, Forbidden))
def sign_in(body: schemas.SignIn, request: Request, response: Response) -> schemas.Me:
    with unit_of_work(every_team=True) as unit:
        opened = service.open_session(unit, body, client_address(request), _user_agent(request))
    _set_cookie(response, opened)
    return opened.me


@router.delete("/session", status_code=204, responses=problems(Unauthenticated, Forbidden))
def sign_out(principal: Reader, response: Response) -> None:
    with unit_of_work() as unit:
        service.close_session(unit, principal)
    response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="lax", secure=get_settings().secure_cookies)


@router.post("/session/team", responses=problems(Unauthenticated, Forbidden, NotFound))
def switch_team(body: schemas.SwitchTeam, principal: Person, request: Request) -> schemas.Me:
    with unit_of_work(every_team=True) as unit:
        sessions.switch_team(unit, principal, body.team_id)
    moved = Credentials(None, session_cookie(request), client_address(request))
    return service.describe(service.authenticate(moved))


@router.get("/me", responses=problems(Unauthenticated))
def get_me(principal: Reader) -> schemas.Me:
    return service.describe(principal)


@router.post("/me/password", responses=problems(Unauthenticated, Forbidden, sessions.WrongPassword))
def change_password(body: schemas.ChangePassword, principal: Person, request: Request) -> schemas.PasswordChanged:
    """Ends the person's other sessions. API tokens stay valid unless `revoke_tokens` says otherwise."""
    with unit_of_work(every_team=True) as unit:
        return sessions.change_password(unit, principal, body, client_address(request))


@router.delete("/me/membership", status_code=204, responses=problems(Unauthenticated, Forbidden, members.LastAdmin))
def leave_team(principal: Person) -> None:
    with unit_of_work() as unit:
        members.remove_member(unit, principal, principal.user_id)


@router.get("/teams", responses=problems(Unauthenticated))
def list_teams(principal: Reader) -> schemas.Teams:
    with unit_of_work(every_team=True) as unit:
        return sessions.list_teams(unit, principal)


@router.get("/sessions", responses=problems(Unauthenticated, Forbidden))
def list_sessions(principal: Person, whose: sessions.Whose = "mine") -> schemas.Sessions:
    with unit_of_work(every_team=True) as unit:
        return sessions.list_sessions(unit, principal, whose)


@router.delete("/sessions/{session_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound))
def revoke_session(session_id: uuid.UUID, principal: Person) -> None:
    with unit_of_work(every_team=True) as unit:
        sessions.revoke_session(unit, principal, session_id)


@router.get("/tokens", responses=problems(Unauthenticated))
def list_tokens(
    principal: Reader, kind: schemas.TokenKind = "personal", limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Page[schemas.ApiTokenItem]:
    with unit_of_work() as unit:
        return api_tokens.list_tokens(unit, principal, kind, cursor, limit)


@router.post(
    "/tokens",
    status_code=201,
    responses=problems(Unauthenticated, Forbidden, api_tokens.ScopeBeyondRole, api_tokens.TokenBeyondToken),
)
def create_token(body: schemas.CreateApiToken, principal: Reader) -> schemas.CreatedApiToken:
    with unit_of_work() as unit:
        return api_tokens.create_token(unit, principal, body)


@router.delete(
    "/tokens/{token_id}",
    status_code=204,
    responses=problems(Unauthenticated, Forbidden, NotFound, api_tokens.TokenBeyondToken),
)
def revoke_token(token_id: uuid.UUID, principal: Reader) -> None:
    with unit_of_work() as unit:
        api_tokens.revoke_token(unit, principal, token_id)


@router.get("/members", responses=problems(Unauthenticated))
def list_members(principal: Reader) -> schemas.Members:
    with unit_of_work() as unit:
        return members.list_members(unit, principal)


@router.patch("/members/{user_id}", responses=problems(Unauthenticated, Forbidden, NotFound, members.LastAdmin))
def change_member(user_id: uuid.UUID, body: schemas.ChangeMember, principal: Admin) -> schemas.MemberItem:
    with unit_of_work() as unit:
        return members.change_role(unit, principal, user_id, body.role)


@router.delete(
    "/members/{user_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound, members.LastAdmin)
)
def remove_member(user_id: uuid.UUID, principal: Admin) -> None:
    with unit_of_work() as unit:
        members.remove_member(unit, principal, user_id)


@router.get("/invitations", responses=problems(Unauthenticated, Forbidden))
def list_invitations(
    principal: Admin, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Page[schemas.InvitationItem]:
    with unit_of_work() as unit:
        return invitations.list_invitations(unit, principal, cursor, limit)


@router.post("/invitations", status_code=201, responses=problems(Unauthenticated, Forbidden))
def create_invitation(body: schemas.CreateInvitation, principal: Admin) -> schemas.CreatedInvitation:
    with unit_of_work() as unit:
        return invitations.create_invitation(unit, principal, body)


@router.delete(
    "/invitations/{invitation_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound)
)
def revoke_invitation(invitation_id: uuid.UUID, principal: Admin) -> None:
    with unit_of_work() as unit:
        invitations.revoke_invitation(unit, principal, invitation_id)


@router.get("/invitations/by-token/{token}", responses=problems(NotFound, invitations.InvitationOver))
def view_invitation(token: str, request: Request) -> schemas.InvitationView:
    with unit_of_work(every_team=True) as unit:
        return invitations.view_invitation(unit, token, client_address(request))


@router.post(
    "/invitations/by-token/{token}/accept",
    responses=problems(
        NotFound,
        Forbidden,
        invitations.InvitationOver,
        invitations.InvitationForAnother,
        invitations.AccountExists,
        invitations.AlreadyMember,
    ),
)
def accept_invitation(
    token: str, body: schemas.AcceptInvitation, person: AnyoneSignedIn, request: Request, response: Response
) -> schemas.Me:
    """Signs the person in, to the team they have joined."""
    address = client_address(request)
    with unit_of_work(every_team=True) as unit:
        joined = invitations.accept_invitation(unit, token, body, person, address)
        opened = service.begin_session(unit, joined, address, _user_agent(request))
        if person is not None:
            service.close_session(unit, person)
    _set_cookie(response, opened)
    return opened.me


def _user_agent(request: Request) -> str:
    return request.headers.get("user-agent", "")


def _set_cookie(response: Response, opened: schemas.OpenedSession) -> None:
    response.set_cookie(
        SESSION_COOKIE,
        opened.token,
        expires=opened.expires_at,
        httponly=True,
        samesite="lax",
        secure=get_settings().secure_cookies,
    )


Text = Annotated[str | None, Query(max_length=200)]


@admin_router.get("/teams", responses=problems(Unauthenticated, Forbidden))
def list_all_teams(
    _principal: InstanceAdmin, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Page[schemas.InstallationTeam]:
    with unit_of_work(every_team=True) as unit:
        return installation.list_teams(unit, cursor, limit)


@admin_router.post("/teams", status_code=201, responses=problems(Unauthenticated, Forbidden))
def create_team(body: schemas.WriteTeam, principal: InstanceAdmin) -> schemas.InstallationTeam:
    with unit_of_work(every_team=True) as unit:
        return installation.create_team(unit, principal, body.name)


@admin_router.patch("/teams/{team_id}", status_code=204, responses=problems(Unauthenticated, Forbidden, NotFound))
def rename_team(team_id: uuid.UUID, body: schemas.WriteTeam, principal: InstanceAdmin) -> None:
    with unit_of_work(every_team=True) as unit:
        installation.rename_team(unit, principal, team_id, body.name)


@admin_router.get("/users", responses=problems(Unauthenticated, Forbidden))
def list_users(
    _principal: InstanceAdmin, q: Text = None, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None
) -> Page[schemas.InstallationUser]:
    with unit_of_work(every_team=True) as unit:
        return installation.list_users(unit, q, cursor, limit)


@admin_router.patch(
    "/users/{user_id}", responses=problems(Unauthenticated, Forbidden, NotFound, installation.LastInstanceAdmin)
)
def change_user(user_id: uuid.UUID, body: schemas.ChangeUser, principal: InstanceAdmin) -> schemas.InstallationUser:
    with unit_of_work(every_team=True) as unit:
        return installation.change_user(unit, principal, user_id, body)
