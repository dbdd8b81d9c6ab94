import { IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { meQuery } from '@/api/session';
import { TeachingState } from '@/components/TeachingState';

interface AdminsOnlyProps {
  /** Begins the sentence: "The audit log". */
  readonly what: string;
  /** Whose admins. */
  readonly of: 'team' | 'installation';
  readonly children: ReactNode;
}

/** A page that is there, but not for everyone. */
export function AdminsOnly({ what, of, children }: AdminsOnlyProps): ReactNode {
  const { data: me } = useQuery(meQuery);
  const isAdmin = of === 'team' ? me?.role === 'admin' : me?.is_instance_admin;
  if (!me || isAdmin) return children;
  return <NeedsAdmin title={`${what} is for admins of the ${of}`} />;
}

function NeedsAdmin({ title }: { readonly title: string }): ReactElement {
  return (
    <TeachingState
      icon={IconLock}
      title={title}
      text="Ask one of them for the role, or for what you want to know."
    />
  );
}
