import { Center } from '@mantine/core';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { SignInForm } from '@/features/session/SignInForm';

const route = getRouteApi('/sign-in');

export default function SignInPage(): ReactElement {
  const { next } = route.useSearch();
  const router = useRouter();
  const goOn = () => router.history.push(next ?? '/');
  return (
    <Center component="main" mih="100vh" p="md">
      <SignInForm onSignedIn={goOn} />
    </Center>
  );
}
