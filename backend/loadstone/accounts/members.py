"""Who belongs to a team, and as what. A team always keeps an active admin."""

import uuid
from datetime import UTC, datetime

from loadstone.accounts import repository
from loadstone.accounts.schemas import CurrentUser, MemberItem, Members
from loadstone.audit import service as audit
from loadstone.db import UnitOfWork
from loadstone.errors import Conflict, NotFound
from loadstone.models import Membership
from loadstone.principal import Principal, Role, as_role


class LastAdmin(Conflict):
    code = "last_admin"
    title = "The team would have no admin"


def list_members(unit: UnitOfWork, principal: Principal) -> Members:
    """By name."""
    rows = repository.list_members(unit.session, principal.team_id)
    return Members(items=[_render(row) for row in rows])


def change_role(unit: UnitOfWork, principal: Principal, user_id: uuid.UUID, role: Role) -> MemberItem:
    """Raises NotFound, LastAdmin."""
    membership = _find(unit, principal, user_id)
    before = membership.role
    if role != "admin":
        _keep_an_admin(unit, principal, user_id)
    membership.role = role
    unit.session.flush()
    if role != before:
        audit.record(unit, principal, "member_role_changed", "user", user_id, {"from": before, "to": role})
    rows = repository.list_members(unit.session, principal.team_id)
    return next(_render(row) for row in rows if row.user.id == user_id)


def remove_member(unit: UnitOfWork, principal: Principal, user_id: uuid.UUID) -> None:
    """Their sessions and personal tokens in this team end; what they made stays. Raises NotFound, LastAdmin."""
    membership = _find(unit, principal, user_id)
    _keep_an_admin(unit, principal, user_id)
    unit.session.delete(membership)
    repository.delete_sessions(unit.session, user_id, team_id=principal.team_id)
    repository.revoke_personal_tokens(unit.session, principal.team_id, user_id, datetime.now(UTC))
    action = "member_left" if user_id == principal.user_id else "member_removed"
    names = repository.user_names(unit.session, {user_id})
    audit.record(unit, principal, action, "user", user_id, {"name": names.get(user_id, ""), "role": membership.role})


def _find(unit: UnitOfWork, principal: Principal, user_id: uuid.UUID) -> Membership:
    membership = repository.find_membership(unit.session, user_id, principal.team_id)
    if membership is None:
        raise NotFound("There is no such member.")
    return membership


def _keep_an_admin(unit: UnitOfWork, principal: Principal, leaving: uuid.UUID) -> None:
    admins = repository.lock_admins(unit.session, principal.team_id)
    if leaving in admins and len(admins) == 1:
        raise LastAdmin("Make someone else an admin first.")


def _render(row: repository.TeamMember) -> MemberItem:
    user = row.user
    return MemberItem(
        user=CurrentUser(id=user.id, email=user.email, name=user.name),
        role=as_role(row.membership.role),
        joined_at=row.membership.joined_at,
        is_deactivated=user.deactivated_at is not None,
        last_seen_at=row.last_seen_at,
    )
