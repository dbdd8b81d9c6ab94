import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { HomeBoard } from '@/features/home/HomeBoard';

export default function HomePage(): ReactElement {
  return (
    <>
      <PageHeader title="Home" />
      <HomeBoard />
    </>
  );
}
