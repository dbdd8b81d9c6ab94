import { Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Trial } from '@/api/runs';
import { Chip } from '@/components/Chip';
import { KeyValues } from '@/components/KeyValues';
import { formatCount, formatNs, formatNumber } from '@/lib/format';

export type Report = NonNullable<Trial['durability']>;

/** What was left of acknowledged writes after the store was killed and had come back. */
export function DurabilityResult({ report }: { readonly report: Report }): ReactElement {
  const isWhole = report.lost + report.torn + report.errors === 0;
  return (
    <Stack gap={4}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Chip
          tone={isWhole ? 'good' : 'bad'}
          icon={isWhole ? IconCircleCheck : IconAlertTriangle}
          word={isWhole ? 'nothing lost' : 'writes lost'}
        />
        <Text size="sm">{sentenceOf(report)}</Text>
      </Group>
      <KeyValues values={countsOf(report)} />
      <Text size="xs" c="dimmed">
        SIGKILL ends the process, not the machine: what the store had handed to the kernel survives it, a
        power cut would take that too.
      </Text>
    </Stack>
  );
}

export function sentenceOf(report: Report): string {
  const { acknowledged, keys, kept, newer, lost, torn, lost_window_ns } = report;
  const begin = `${formatCount(acknowledged)} writes to ${formatCount(keys)} keys were acknowledged before the kill; `;
  if (lost + torn === 0) return `${begin}every key held its last one afterwards, or a later one.`;
  const share = formatNumber((100 * lost) / Math.max(keys, 1));
  const age =
    lost_window_ns === null || lost_window_ns === undefined
      ? ''
      : ` The oldest of them had been acknowledged ${formatNs(lost_window_ns)} before the last.`;
  const broken = torn > 0 ? ` ${formatCount(torn)} held what was never sent.` : '';
  return `${begin}${formatCount(lost)} keys (${share} %) had lost theirs, ${formatCount(kept + newer)} had not.${age}${broken}`;
}

function countsOf(report: Report): Record<string, string> {
  return {
    acknowledged: formatCount(report.acknowledged),
    keys: formatCount(report.keys),
    kept: formatCount(report.kept),
    newer: formatCount(report.newer),
    lost: formatCount(report.lost),
    torn: formatCount(report.torn),
    'not readable': formatCount(report.errors),
    'time to come back': `${formatNumber(report.restart_s)} s`,
  };
}
