"""What an instance admin does beyond any team. Called with a unit of work that sees every team."""

import uuid
from datetime import UTC, datetime

from uuid_utils.compat import uuid7

from loadstone.accounts import repository
from loadstone.accounts.schemas import ChangeUser, CurrentTeam, InstallationTeam, InstallationUser
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork
from loadstone.errors import Conflict, NotFound
from loadstone.models import Membership, Team, User
from loadstone.paging import Page, decode_id_cursor, make_page
from loadstone.principal import Principal


class LastInstanceAdmin(Conflict):
    code = "last_instance_admin"
    title = "The installation would have no admin"


def list_teams(unit: UnitOfWork, cursor: str | None, limit: int) -> Page[InstallationTeam]:
    """Newest first; raises InvalidCursor."""
    rows = repository.list_teams(unit.session, decode_id_cursor(cursor), limit + 1)
    return make_page(rows, limit, lambda row: row.team.id, lambda row: _render_team(row.team, row.member_count))


def create_team(unit: UnitOfWork, principal: Principal, name: str) -> InstallationTeam:
    """The caller becomes its first admin, to invite the others."""
    team = Team(id=uuid7(), name=name, created_at=datetime.now(UTC))
    unit.session.add(team)
    unit.session.flush()
    unit.session.add(Membership(team_id=team.id, user_id=principal.user_id, role="admin"))
    audit.record_for_installation(unit, principal, "team_created", "team", team.id, {"name": name})
    return _render_team(team, 1)


def rename_team(unit: UnitOfWork, principal: Principal, team_id: uuid.UUID, name: str) -> None:
    """Raises NotFound."""
    team = repository.get_team(unit.session, team_id)
    if team is None:
        raise NotFound("There is no such team.")
    audit.record_for_installation(unit, principal, "team_renamed", "team", team.id, {"from": team.name, "to": name})
    team.name = name


def list_users(unit: UnitOfWork, text: str | None, cursor: str | None, limit: int) -> Page[InstallationUser]:
    """Newest first; raises InvalidCursor."""
    rows = repository.list_users(unit.session, text, decode_id_cursor(cursor), limit + 1)
    teams = _teams_by_user(unit, rows)
    return make_page(rows, limit, lambda row: row.id, lambda row: _render_user(row, teams.get(row.id, [])))


def change_user(unit: UnitOfWork, principal: Principal, user_id: uuid.UUID, change: ChangeUser) -> InstallationUser:
    """A deactivated person's sessions end at once. Raises NotFound, LastInstanceAdmin."""
    user = repository.get_person(unit.session, user_id)
    if user is None:
        raise NotFound("There is no such person.")
    if change.is_active is False or change.is_instance_admin is False:
        _keep_an_admin(unit, user)
    if change.is_instance_admin is not None and change.is_instance_admin != user.is_instance_admin:
        user.is_instance_admin = change.is_instance_admin
        action = "instance_admin_granted" if change.is_instance_admin else "instance_admin_withdrawn"
        audit.record_for_installation(unit, principal, action, "user", user.id, {"email": user.email})
    if change.is_active is not None and change.is_active != (user.deactivated_at is None):
        _set_active(unit, principal, user, is_active=change.is_active)
    unit.session.flush()
    return _render_user(user, _teams_by_user(unit, [user]).get(user.id, []))


def _set_active(unit: UnitOfWork, principal: Principal, user: User, *, is_active: bool) -> None:
    user.deactivated_at = None if is_active else datetime.now(UTC)
    ended = 0 if is_active else repository.delete_sessions(unit.session, user.id)
    action = "user_reactivated" if is_active else "user_deactivated"
    detail = {"email": user.email, "sessions_ended": ended}
    audit.record_for_installation(unit, principal, action, "user", user.id, detail)


def _keep_an_admin(unit: UnitOfWork, leaving: User) -> None:
    admins = repository.lock_instance_admins(unit.session)
    if admins == [leaving.id]:
        raise LastInstanceAdmin("Make someone else an admin of the installation first.")


def _teams_by_user(unit: UnitOfWork, users: list[User]) -> dict[uuid.UUID, list[CurrentTeam]]:
    teams: dict[uuid.UUID, list[CurrentTeam]] = {}
    for user_id, team in repository.teams_of_users(unit.session, [user.id for user in users]):
        teams.setdefault(user_id, []).append(CurrentTeam(id=team.id, name=team.name))
    return teams


def _render_team(team: Team, member_count: int) -> InstallationTeam:
    return InstallationTeam(id=team.id, name=team.name, created_at=team.created_at, member_count=member_count)


def _render_user(user: User, teams: list[CurrentTeam]) -> InstallationUser:
    return InstallationUser(
        id=user.id,
        email=user.email,
        name=user.name,
        is_instance_admin=user.is_instance_admin,
        created_at=user.created_at,
        deactivated_at=user.deactivated_at,
        teams=teams,
    )
