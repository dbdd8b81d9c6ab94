import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from './client';

export type Role = Schemas['Me']['role'];
export type Member = Schemas['MemberItem'];
export type Invitation = Schemas['InvitationItem'];
export type Session = Schemas['SessionItem'];
export type AuditItem = Schemas['AuditItem'];
export type InstallationTeam = Schemas['InstallationTeam'];
export type InstallationUser = Schemas['InstallationUser'];

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: () => dataOf(client.GET('/api/v1/members')),
});

export function changeMember(userId: string, role: Role): Promise<Member> {
  return dataOf(
    client.PATCH('/api/v1/members/{user_id}', { params: { path: { user_id: userId } }, body: { role } }),
  );
}

export async function removeMember(userId: string): Promise<void> {
  await client.DELETE('/api/v1/members/{user_id}', { params: { path: { user_id: userId } } });
}

export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: () => dataOf(client.GET('/api/v1/invitations', { params: { query: { limit: 100 } } })),
});

export function createInvitation(body: Schemas['CreateInvitation']): Promise<Schemas['CreatedInvitation']> {
  return dataOf(client.POST('/api/v1/invitations', { body }));
}

export async function revokeInvitation(invitationId: string): Promise<void> {
  await client.DELETE('/api/v1/invitations/{invitation_id}', {
    params: { path: { invitation_id: invitationId } },
  });
}

export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () =>
      dataOf(client.GET('/api/v1/invitations/by-token/{token}', { params: { path: { token } } })),
    retry: false,
  });

export function acceptInvitation(token: string, body: Schemas['AcceptInvitation']): Promise<Schemas['Me']> {
  return dataOf(
    client.POST('/api/v1/invitations/by-token/{token}/accept', { params: { path: { token } }, body }),
  );
}

export const teamsQuery = queryOptions({
  queryKey: ['teams'],
  queryFn: () => dataOf(client.GET('/api/v1/teams')),
  staleTime: 60_000,
});

export function switchTeam(teamId: string): Promise<Schemas['Me']> {
  return dataOf(client.POST('/api/v1/session/team', { body: { team_id: teamId } }));
}

export const sessionsQuery = (whose: 'mine' | 'team') =>
  queryOptions({
    queryKey: ['sessions', whose],
    queryFn: () => dataOf(client.GET('/api/v1/sessions', { params: { query: { whose } } })),
  });

export async function revokeSession(sessionId: string): Promise<void> {
  await client.DELETE('/api/v1/sessions/{session_id}', { params: { path: { session_id: sessionId } } });
}

export async function changePassword(body: Schemas['ChangePassword']): Promise<Schemas['PasswordChanged']> {
  return dataOf(client.POST('/api/v1/me/password', { body }));
}

export interface AuditView {
  readonly actor?: string;
  readonly subject?: string;
  readonly action?: string;
}

export const auditQuery = (view: AuditView) =>
  infiniteQueryOptions({
    queryKey: ['audit', view],
    queryFn: ({ pageParam }) =>
      dataOf(
        client.GET('/api/v1/audit', {
          params: {
            query: {
              limit: 100,
              cursor: pageParam,
              actor_id: view.actor,
              subject_kind: view.subject,
              action: view.action ? [view.action] : undefined,
            },
          },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const installationTeamsQuery = queryOptions({
  queryKey: ['installation', 'teams'],
  queryFn: () => dataOf(client.GET('/api/v1/admin/teams', { params: { query: { limit: 200 } } })),
});

export const installationUsersQuery = (q: string) =>
  queryOptions({
    queryKey: ['installation', 'users', q],
    queryFn: () =>
      dataOf(client.GET('/api/v1/admin/users', { params: { query: { limit: 200, q: q || undefined } } })),
  });

export const installationAuditQuery = queryOptions({
  queryKey: ['installation', 'audit'],
  queryFn: () => dataOf(client.GET('/api/v1/admin/audit', { params: { query: { limit: 100 } } })),
});

export function createTeam(name: string): Promise<InstallationTeam> {
  return dataOf(client.POST('/api/v1/admin/teams', { body: { name } }));
}

export function changeUser(userId: string, body: Schemas['ChangeUser']): Promise<InstallationUser> {
  return dataOf(
    client.PATCH('/api/v1/admin/users/{user_id}', { params: { path: { user_id: userId } }, body }),
  );
}

export async function leaveTeam(): Promise<void> {
  await client.DELETE('/api/v1/me/membership');
}
