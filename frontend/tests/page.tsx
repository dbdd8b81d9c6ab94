import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { render } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { NOTHING_PUBLISHED } from '@/api/recipes';
import { makeRouter } from '@/app/router';

/** The api of these tests: answers are given by each test, what is not given is refused loudly. */
export const api = setupServer();

const ORIGIN = 'http://localhost:3000';

export function answer(
  method: 'get' | 'post' | 'put' | 'patch' | 'delete',
  path: string,
  body: object,
  status = 200,
) {
  const type = status >= 400 ? 'application/problem+json' : 'application/json';
  api.use(
    http[method](`${ORIGIN}/api/v1${path}`, () =>
      HttpResponse.json(body, { status, headers: { 'Content-Type': type } }),
    ),
  );
}

export function refuse(
  method: 'get' | 'post' | 'put',
  path: string,
  status: number,
  code: string,
  detail: string,
  errors: object[] = [],
) {
  answer(
    method,
    path,
    { type: `urn:loadstone:error:${code}`, title: 'Refused', status, code, detail, errors },
    status,
  );
}

export const NOBODY = { items: [], next_cursor: null };

export function signedIn(): void {
  // Asked for by the home page, whatever else a test is about.
  answer('get', '/alerts', NOBODY);
  answer('get', '/dashboards', NOBODY);
  // Asked for by every run's curves.
  answer('get', '/runs/run-1/published', NOTHING_PUBLISHED);
  answer('get', '/me', {
    user: { id: 'user-1', email: 'ada@example.org', name: 'Ada' },
    team: { id: 'team-1', name: 'Team' },
    role: 'admin',
  });
}

/** The whole page at this address, with its own cache and without retries. */
export function open(address: string) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const router = makeRouter(queries, createMemoryHistory({ initialEntries: [address] }));
  render(
    <QueryClientProvider client={queries}>
      <MantineProvider env="test">
        <Notifications />
        <RouterProvider router={router} />
      </MantineProvider>
    </QueryClientProvider>,
  );
  return { router, queries };
}
