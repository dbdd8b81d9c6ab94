import { Stack } from '@mantine/core';
import { IconClockOff, IconLinkOff } from '@tabler/icons-react';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import { linkQuery, type SharedView } from '@/api/shares';
import { FailureState } from '@/components/FailureState';
import { PageSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { type RequestProblem, toProblem } from '@/lib/problem';
import { UnlockForm } from './UnlockForm';

interface LinkLoaderProps {
  readonly token: string;
  readonly children: (link: SharedView) => ReactNode;
}

/** What is read by a link is kept apart from what is read by a session: the ids are the same, the rights are not. */
export function LinkLoader(props: LinkLoaderProps): ReactElement {
  const [queries] = useState(makeQueries);
  return (
    <QueryClientProvider client={queries}>
      <Link {...props} />
    </QueryClientProvider>
  );
}

const MAX_RETRIES = 2;

function makeQueries(): QueryClient {
  const retry = (failures: number, error: unknown) => {
    const { status } = toProblem(error);
    return (status === 0 || status >= 500) && failures < MAX_RETRIES;
  };
  return new QueryClient({ defaultOptions: { queries: { staleTime: 1000, retry } } });
}

function Link({ token, children }: LinkLoaderProps): ReactElement {
  const link = useQuery(linkQuery(token));
  if (link.isPending) return <PageSkeleton />;
  if (link.data) return <>{children(link.data)}</>;
  const problem = toProblem(link.error);
  if (problem.code === 'share_locked') return <UnlockForm token={token} onUnlocked={() => link.refetch()} />;
  return <LinkGone problem={problem} onRetry={() => link.refetch()} />;
}

const GONE: Record<string, { title: string; icon: typeof IconLinkOff }> = {
  share_expired: { title: 'This link has expired', icon: IconClockOff },
  share_revoked: { title: 'This link was revoked', icon: IconLinkOff },
  not_found: { title: 'There is no such link', icon: IconLinkOff },
};

function LinkGone({ problem, onRetry }: { problem: RequestProblem; onRetry: () => void }): ReactElement {
  const gone = GONE[problem.code];
  return (
    <Stack maw={640} mx="auto" py="xl" w="100%">
      {gone ? (
        <TeachingState icon={gone.icon} title={gone.title} text={problem.detail} />
      ) : (
        <FailureState
          what="The link could not be opened"
          code={problem.code}
          detail={problem.detail}
          onRetry={onRetry}
        />
      )}
    </Stack>
  );
}
