import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './styles.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { meQuery } from '@/api/session';
import { toProblem } from '@/lib/problem';
import { makeRouter } from './router';
import { cssVariables, theme } from './theme';

const MAX_RETRIES = 2;

/** A session that ended while the page was open: ask who is there, which leads to the sign-in page. */
function noticeSignedOut(error: unknown): void {
  if (toProblem(error).status !== 401 || !queries.getQueryData(meQuery.queryKey)) return;
  queries.removeQueries({ queryKey: meQuery.queryKey });
  void router.invalidate();
}

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignedOut }),
  mutationCache: new MutationCache({ onError: noticeSignedOut }),
  defaultOptions: {
    queries: {
      staleTime: 1000,
      // A refusal stays one however often it is asked.
      retry: (failures, error) => {
        const { status } = toProblem(error);
        return (status === 0 || status >= 500) && failures < MAX_RETRIES;
      },
    },
  },
});
const router = makeRouter(queries);

const container = document.getElementById('root');
if (!container) throw new Error('index.html has no #root');
createRoot(container).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <Notifications position="bottom-right" />
        <RouterProvider router={router} />
      </MantineProvider>
    </QueryClientProvider>
  </StrictMode>,
);
