import { Center } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { AcceptInvitation } from '@/features/session/AcceptInvitation';

const route = getRouteApi('/invite/$token');

export default function InvitePage(): ReactElement {
  const { token } = route.useParams();
  const navigate = useNavigate();
  return (
    <Center component="main" mih="100vh" p="md">
      <AcceptInvitation token={token} onJoined={() => void navigate({ to: '/' })} />
    </Center>
  );
}
