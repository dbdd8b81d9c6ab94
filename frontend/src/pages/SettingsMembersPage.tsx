import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { meQuery } from '@/api/session';
import { InvitationList } from '@/features/members/InvitationList';
import { InviteDialog } from '@/features/members/InviteDialog';
import { MemberList } from '@/features/members/MemberList';

export default function SettingsMembersPage(): ReactElement {
  const { data: me } = useQuery(meQuery);
  const [isInviting, inviting] = useDisclosure(false);
  const isAdmin = me?.role === 'admin';
  return (
    <>
      <MemberList toolbar={isAdmin ? <Button onClick={inviting.open}>Invite</Button> : null} />
      {isAdmin && <InvitationList />}
      <InviteDialog isOpen={isInviting} onClose={inviting.close} />
    </>
  );
}
