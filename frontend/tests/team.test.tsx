import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from './fixtures';
import { answer, api, NOBODY, open, refuse, signedIn } from './page';

const ME = {
  user: { id: 'user-1', email: 'ada@example.org', name: 'Ada' },
  team: { id: 'team-1', name: 'Team' },
  role: 'admin',
  is_instance_admin: false,
};

const INVITATION = {
  team_name: 'Storage',
  role: 'editor',
  email: 'eve@example.org',
  has_account: false,
  invited_by: 'Ada',
  expires_at: '2099-01-01T00:00:00Z',
};

const CHANNEL = {
  id: 'channel-1',
  name: 'ops',
  kind: 'webhook',
  address: 'https://hooks.example.org/…',
  has_secret: true,
  events: ['alert_confirmed'],
  is_enabled: true,
  last_delivery: null,
  created_at: '2026-11-21T07:00:00Z',
};

const DELIVERY = {
  id: 'delivery-1',
  channel_id: 'channel-1',
  channel_name: 'ops',
  event: 'test',
  title: 'A test',
  status: 'queued',
  attempts: 0,
  next_attempt_at: null,
  response_excerpt: null,
  created_at: '2026-11-21T07:00:00Z',
  sent_at: null,
};

const LINK = {
  id: 'share-1',
  kind: 'run',
  subject: { run_id: 'run-1' },
  subject_id: 'run-1',
  view: {},
  title: 'for the vendor',
  state: 'active',
  has_password: false,
  expires_at: null,
  revoked_at: null,
  view_count: 3,
  last_viewed_at: null,
  created_by: { id: 'user-1', name: 'Ada' },
  created_at: '2026-11-21T07:00:00Z',
};

/** Collects the bodies that the page sends there. */
function listen(path: string, reply: object): unknown[] {
  const bodies: unknown[] = [];
  api.use(
    http.post(`http://localhost:3000/api/v1${path}`, async ({ request }) => {
      const text = await request.text();
      bodies.push(text === '' ? null : JSON.parse(text));
      return HttpResponse.json(reply, { status: 201 });
    }),
  );
  return bodies;
}

function as(role: 'viewer' | 'editor' | 'admin'): void {
  signedIn();
  answer('get', '/me', { ...ME, role });
}

beforeAll(() => api.listen({ onUnhandledRequest: 'error' }));
afterEach(() => api.resetHandlers());
afterAll(() => api.close());

describe('the members', () => {
  beforeEach(() => {
    answer('get', '/teams', { items: [ME.team] });
    answer('get', '/members', {
      items: [
        {
          user: ME.user,
          role: 'admin',
          joined_at: '2026-11-21T07:00:00Z',
          last_seen_at: null,
          is_deactivated: false,
        },
      ],
    });
    answer('get', '/invitations', NOBODY);
  });

  it('are joined by a link that is shown once', async () => {
    as('admin');
    const sent = listen('/invitations', {
      ...INVITATION,
      id: 'invitation-1',
      state: 'open',
      token: 'secret',
      url: 'http://localhost:3000/invite/secret',
    });
    open('/settings/members');
    await userEvent.click(await screen.findByRole('button', { name: 'Invite' }));
    const dialog = await screen.findByRole('dialog');
    await userEvent.selectOptions(within(dialog).getByRole('combobox', { name: 'Role' }), 'viewer');
    await userEvent.type(within(dialog).getByRole('textbox', { name: 'E-mail' }), ' eve@example.org');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Make the link' }));
    expect(await within(dialog).findByText('http://localhost:3000/invite/secret')).toBeInTheDocument();
    expect(sent).toEqual([{ role: 'viewer', email: 'eve@example.org', expires_in_days: 7 }]);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Done' }));
    await userEvent.click(screen.getByRole('button', { name: 'Invite' }));
    expect(screen.queryByText('http://localhost:3000/invite/secret')).not.toBeInTheDocument();
  });

  it('are not for an editor to change', async () => {
    as('editor');
    open('/settings/members');
    expect(await screen.findByText('ada@example.org')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Invite' })).not.toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Remove' })).not.toBeInTheDocument();
  });
});

describe('an invitation', () => {
  it('makes an account of its e-mail and opens the home page', async () => {
    refuse('get', '/me', 401, 'signed_out', 'Sign in.');
    answer('get', '/invitations/by-token/secret', INVITATION);
    const sent = listen('/invitations/by-token/secret/accept', ME);
    const { router } = open('/invite/secret');
    expect(await screen.findByRole('heading', { name: 'Join Storage on Loadstone' })).toBeInTheDocument();
    expect(screen.getByRole('textbox', { name: 'E-mail' })).toHaveAttribute('readonly');
    await userEvent.type(screen.getByRole('textbox', { name: 'Your name' }), 'Eve');
    await userEvent.type(screen.getByLabelText(/^Password/), 'correct horse battery');
    answer('get', '/runs', NOBODY);
    answer('get', '/recipes', { items: [] });
    answer('get', '/alerts', NOBODY);
    answer('get', '/dashboards', NOBODY);
    answer('get', '/teams', { items: [ME.team] });
    await userEvent.click(screen.getByRole('button', { name: 'Join' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/'));
    expect(sent).toEqual([{ name: 'Eve', email: 'eve@example.org', password: 'correct horse battery' }]);
  });

  it('that is over says so and offers no form', async () => {
    refuse('get', '/me', 401, 'signed_out', 'Sign in.');
    refuse('get', '/invitations/by-token/old', 404, 'not_found', 'Ask for another one.');
    open('/invite/old');
    expect(await screen.findByRole('alert')).toHaveTextContent('Ask for another one.');
    expect(screen.queryByRole('button', { name: 'Join' })).not.toBeInTheDocument();
  });
});

describe('a run', () => {
  beforeEach(() => {
    answer('get', '/runs/run-1', run({ status: 'succeeded', finished_at: '2026-11-21T12:05:00Z' }));
    answer('get', '/runs/run-1/points', NOBODY);
  });

  it('is no longer shared once its link is revoked', async () => {
    as('editor');
    let state = 'active';
    api.use(
      http.get('http://localhost:3000/api/v1/shares', () =>
        HttpResponse.json({ items: [{ ...LINK, state }], next_cursor: null }),
      ),
      http.delete('http://localhost:3000/api/v1/shares/share-1', () => {
        state = 'revoked';
        return new HttpResponse(null, { status: 204 });
      }),
    );
    open('/runs/run-1');
    await userEvent.click(await screen.findByRole('button', { name: 'Share' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Revoke the link for the vendor' }));
    expect(state).toBe('active');
    await userEvent.click(await screen.findByRole('button', { name: 'Revoke the link' }));
    expect(await screen.findByText('revoked')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /^Revoke the link for/ })).not.toBeInTheDocument();
  });

  it('is a viewer’s to read: nothing that changes it is offered', async () => {
    as('viewer');
    open('/runs/run-1');
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent('memcached against Redis');
    for (const name of ['Share', 'Clone with changes', 'New run']) {
      expect(screen.queryByText(name)).not.toBeInTheDocument();
    }
  });
});

describe('a notification channel', () => {
  it('is tested, and the test is followed until it is sent', async () => {
    as('admin');
    answer('get', '/teams', { items: [ME.team] });
    answer('get', '/notification-channels', { items: [CHANNEL], is_mail_configured: false });
    answer('get', '/notification-deliveries', NOBODY);
    const tests = listen('/notification-channels/channel-1/test', DELIVERY);
    open('/settings/notifications');
    const button = await screen.findByRole('button', { name: 'Send a test to ops' });
    const sent = { ...DELIVERY, status: 'sent', attempts: 1, response_excerpt: '200 OK' };
    answer('get', '/notification-deliveries', { items: [sent], next_cursor: null });
    await userEvent.click(button);
    const row = within(button.closest('tr') as HTMLElement);
    expect(await row.findByText('sent')).toBeInTheDocument();
    expect(button).toBeEnabled();
    expect(tests).toHaveLength(1);
  });
});

describe('the list of runs', () => {
  const bundle = new File(['PK'], 'run.zip', { type: 'application/zip' });

  async function importIt(): Promise<void> {
    open('/runs');
    await userEvent.click(await screen.findByRole('button', { name: 'Import' }));
    const dialog = await screen.findByRole('dialog', { name: 'Import a run' });
    const submit = within(dialog).getByRole('button', { name: 'Import the run' });
    expect(submit).toBeDisabled();
    const input = document.querySelector<HTMLInputElement>('input[type="file"]');
    if (!input) throw new Error('There is no place for the file.');
    await userEvent.upload(input, bundle);
    await userEvent.click(submit);
  }

  it('takes in a bundle and opens its run', async () => {
    as('editor');
    answer('get', '/runs', { items: [run()], next_cursor: null });
    answer('get', '/runs/run-1', run({ status: 'succeeded', finished_at: '2026-11-21T12:05:00Z' }));
    answer('get', '/runs/run-1/points', NOBODY);
    answer('post', '/bundles', run({ status: 'succeeded' }), 201);
    await importIt();
    expect(await screen.findByText('memcached against Redis is imported.')).toBeInTheDocument();
  });

  it('keeps the dialog and says why a bundle was refused', async () => {
    as('editor');
    answer('get', '/runs', { items: [run()], next_cursor: null });
    refuse('post', '/bundles', 422, 'bundle_damaged', 'A file in it is not what its checksum says.');
    await importIt();
    expect(await screen.findByText('A file in it is not what its checksum says.')).toBeInTheDocument();
  });
});
