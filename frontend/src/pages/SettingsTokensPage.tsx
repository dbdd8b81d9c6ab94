import { Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { TokenList } from '@/features/tokens/TokenList';

export default function SettingsTokensPage(): ReactElement {
  return (
    <Stack gap="lg">
      <TokenList kind="personal" />
      <TokenList kind="team" />
    </Stack>
  );
}
