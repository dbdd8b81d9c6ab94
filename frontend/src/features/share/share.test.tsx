import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ShareDialog } from './ShareDialog';
import { snippets } from './snippets';

const ADDRESSES = {
  page: 'https://l.example/s/lsh_a',
  embed: 'https://l.example/embed/lsh_a',
  chart_svg: 'https://l.example/api/v1/shared/lsh_a/chart.svg',
  chart_png: 'https://l.example/api/v1/shared/lsh_a/chart.png',
  badge: 'https://l.example/api/v1/shared/lsh_a/badge.svg',
};

describe('what is pasted elsewhere', () => {
  it('shows frame, picture and badge, each leading to the link', () => {
    const values = snippets({ addresses: ADDRESSES, title: 'Gets' }).map(({ value }) => value);
    expect(values[0]).toContain('<iframe src="https://l.example/embed/lsh_a" title="Gets"');
    expect(values[1]).toBe(`[![Gets](${ADDRESSES.chart_svg})](${ADDRESSES.page})`);
    expect(values[2]).toBe(`[![Gets](${ADDRESSES.badge})](${ADDRESSES.page})`);
  });

  it('has no pictures for a link with a password', () => {
    const addresses = { ...ADDRESSES, chart_svg: null, chart_png: null, badge: null };
    expect(snippets({ addresses, title: 'Gets' })).toHaveLength(1);
  });

  it('lets no title out of its place', () => {
    const title = '"><script>x</script>](https://evil.example)';
    const [frame, picture] = snippets({ addresses: ADDRESSES, title }).map(({ value }) => value);
    expect(frame).not.toContain('<script');
    const holder = document.createElement('div');
    holder.innerHTML = frame ?? '';
    expect(holder.children).toHaveLength(1);
    expect(holder.firstElementChild?.getAttribute('title')).toBe(title);
    expect(picture).toContain('\\]\\(https');
  });
});

function answer(body: unknown, status = 200): Response {
  return new Response(body === null ? null : JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json' },
  });
}

const ITEM = {
  id: 'share-1',
  kind: 'run',
  subject: { run_id: 'run-1' },
  subject_id: 'run-1',
  view: {},
  title: 'For the vendor',
  state: 'active',
  has_password: false,
  expires_at: null,
  revoked_at: null,
  view_count: 3,
  last_viewed_at: null,
  created_by: { id: 'u', name: 'Dana' },
  created_at: new Date().toISOString(),
};

function show(requests: Request[]) {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    requests.push(request.clone());
    if (request.method === 'GET') return answer({ items: [ITEM], next_cursor: null });
    if (request.method === 'DELETE') return answer(null, 204);
    return answer({ ...ITEM, token: 'lsh_a', url: ADDRESSES.page, addresses: ADDRESSES }, 201);
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MantineProvider env="test">
        <ShareDialog
          kind="run"
          subject={{ run_id: 'run-1' }}
          subjectId="run-1"
          title="Gets"
          view={{ axis: 'connections', hide: ['redis'] }}
        />
      </MantineProvider>
    </QueryClientProvider>,
  );
}

describe('the dialog', () => {
  afterEach(() => vi.restoreAllMocks());

  it('sends what is seen, shows the link once with its code, and lists what is there', async () => {
    const requests: Request[] = [];
    show(requests);
    expect(await screen.findByText('For the vendor')).toBeInTheDocument();
    expect(screen.getByText('3 views')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Make the link' }));
    expect(await screen.findByText(ADDRESSES.page)).toBeInTheDocument();
    const posted = requests.find(({ method }) => method === 'POST');
    const body = await posted?.json();
    expect(body).toMatchObject({
      kind: 'run',
      subject: { run_id: 'run-1' },
      title: 'Gets',
      password: null,
      view: { axis: 'connections', hide: ['redis'] },
    });
    expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.now());
    expect(screen.getByRole('button', { name: 'Copy: Badge in Markdown' })).toBeInTheDocument();
  });

  it('asks before it revokes', async () => {
    const requests: Request[] = [];
    show(requests);
    await userEvent.click(await screen.findByRole('button', { name: /Revoke the link For the vendor/ }));
    expect(requests.some(({ method }) => method === 'DELETE')).toBe(false);
    await userEvent.click(await screen.findByRole('button', { name: 'Revoke the link' }));
    await vi.waitFor(() => expect(requests.some(({ method }) => method === 'DELETE')).toBe(true));
  });
});
