import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactElement } from 'react';
import { useMay } from '@/api/use-may';
import { InvitationList } from './InvitationList';
import { InviteDialog } from './InviteDialog';
import { MemberList } from './MemberList';

/** Who is in the team and, for its admins, who is asked to join. */
export function Members(): ReactElement {
  const [isInviting, inviting] = useDisclosure(false);
  const isAdmin = useMay('admin');
  return (
    <>
      <MemberList toolbar={isAdmin ? <Button onClick={inviting.open}>Invite</Button> : null} />
      {isAdmin && <InvitationList />}
      <InviteDialog isOpen={isInviting} onClose={inviting.close} />
    </>
  );
}
