import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { TokenList } from '@/features/tokens/TokenList';

export default function AccountPage(): ReactElement {
  return (
    <>
      <PageHeader title="API tokens" />
      <TokenList />
    </>
  );
}
