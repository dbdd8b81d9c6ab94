import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCpu, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { agentsQuery } from '@/api/agents';
import { useMay } from '@/api/use-may';
import { FailureState } from '@/components/FailureState';
import { PageHeader } from '@/components/PageHeader';
import { CardsSkeleton } from '@/components/Skeletons';
import { TeachingState } from '@/components/TeachingState';
import { toProblem } from '@/lib/problem';
import { AgentCard } from './AgentCard';
import { EnrollDialog } from './EnrollDialog';

export function AgentList(): ReactElement {
  const isAdmin = useMay('admin');
  const agents = useQuery(agentsQuery);
  const [isEnrolling, enrolling] = useDisclosure(false);
  const enroll = isAdmin && (
    <Button size="xs" leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={enrolling.open}>
      Enroll a host
    </Button>
  );
  if (agents.isPending) {
    return (
      <>
        <PageHeader title="Agents" />
        <CardsSkeleton height={260} />
      </>
    );
  }
  if (agents.isError && !agents.data) {
    const { code, detail } = toProblem(agents.error);
    return (
      <FailureState
        what="The agents could not be read"
        code={code}
        detail={detail}
        onRetry={() => agents.refetch()}
      />
    );
  }
  const items = agents.data.items;
  return (
    <>
      <PageHeader title="Agents" actions={items.length > 0 && enroll} />
      {items.length === 0 ? (
        <NoAgents>{enroll}</NoAgents>
      ) : (
        <div className="card-grid">
          {items.map((agent) => (
            <AgentCard key={agent.id} agent={agent} />
          ))}
        </div>
      )}
      <EnrollDialog isOpen={isEnrolling} onClose={enrolling.close} />
    </>
  );
}

function NoAgents({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <TeachingState
      icon={IconCpu}
      title="No agent yet"
      text="An agent runs on the host that measures: it starts the stores and the load engine, one trial at a time, and needs nothing but the address of this page and a token."
    >
      {children}
    </TeachingState>
  );
}
