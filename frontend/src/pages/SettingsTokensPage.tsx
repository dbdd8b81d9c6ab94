import type { ReactElement } from 'react';
import { TokenList } from '@/features/tokens/TokenList';

export default function SettingsTokensPage(): ReactElement {
  return <TokenList />;
}
