import { Stack } from '@mantine/core';
import { IconMapSearch } from '@tabler/icons-react';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { FailureState } from '@/components/FailureState';
import { TextLink } from '@/components/links';
import { TeachingState } from '@/components/TeachingState';
import { toProblem } from '@/lib/problem';

export function PageFault({ error, reset }: ErrorComponentProps): ReactElement {
  const router = useRouter();
  const problem = toProblem(error);
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Stack maw={640} mx="auto" p="md">
      <FailureState what={problem.title} code={problem.code} detail={problem.detail} onRetry={again} />
    </Stack>
  );
}

export function PageMissing(): ReactElement {
  return (
    <Stack maw={640} mx="auto" p="xl">
      <TeachingState
        icon={IconMapSearch}
        title="There is no page at this address"
        text="The link may be old or mistyped."
      >
        <TextLink to="/">To Home</TextLink>
      </TeachingState>
    </Stack>
  );
}
