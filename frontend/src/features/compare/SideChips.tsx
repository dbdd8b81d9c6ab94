import { ActionIcon, Group, Paper, Text } from '@mantine/core';
import { IconArrowsExchange, IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { ComparedSide } from '@/api/comparisons';
import { ChartKey } from '@/components/charts';
import { TextLink } from '@/components/links';
import { RelativeTime } from '@/components/RelativeTime';
import { countNoun } from '@/lib/format';
import { isVisitor } from '@/lib/link';
import { AddSide } from './AddSide';
import { type ComparePage, MOST_SIDES, sidesOf } from './view';

interface SideChipsProps extends ComparePage {
  /** As the api resolved them; empty while it has not. */
  readonly sides: readonly ComparedSide[];
}

/** The base first, then the contenders; each can go, and any can become the base. */
export function SideChips({ view, onView, sides }: SideChipsProps): ReactElement {
  const texts = sidesOf(view);
  const change = (side: string[]) => onView({ side, runs: undefined });
  const canChange = !isVisitor();
  return (
    <Group gap="xs" role="group" aria-label="Sides of the comparison">
      {texts.map((text, index) => (
        <SideChip
          key={text}
          text={text}
          side={sides[index]}
          isBase={index === 0}
          onBase={canChange ? () => change([text, ...texts.filter((other) => other !== text)]) : undefined}
          onRemove={canChange ? () => change(texts.filter((other) => other !== text)) : undefined}
        />
      ))}
      {canChange && texts.length < MOST_SIDES && (
        <AddSide chosen={texts} onAdd={(added) => change([...texts, ...added].slice(0, MOST_SIDES))} />
      )}
    </Group>
  );
}

interface SideChipProps {
  readonly text: string;
  readonly side: ComparedSide | undefined;
  readonly isBase: boolean;
  readonly onBase?: () => void;
  readonly onRemove?: () => void;
}

function SideChip({ text, side, isBase, onBase, onRemove }: SideChipProps): ReactElement {
  const name = side?.label ?? text.slice(0, 8);
  return (
    <Paper withBorder px={8} py={4} data-side={isBase ? 'base' : 'contender'}>
      <Group gap={6} wrap="nowrap">
        {side && <ChartKey index={side.index} />}
        <div style={{ minWidth: 0 }}>
          <Text size="sm" fw={600} lineClamp={1}>
            {side ? (
              <TextLink to="/runs/$runId" params={{ runId: side.run.id }} inherit>
                {name}
              </TextLink>
            ) : (
              name
            )}
          </Text>
          <Text size="xs" c="dimmed">
            {isBase ? 'base' : 'contender'}
            {side && <SideFacts side={side} />}
          </Text>
        </div>
        {!isBase && onBase && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Make ${name} the base`}
            title="Make it the base"
            onClick={onBase}
          >
            <IconArrowsExchange size={14} />
          </ActionIcon>
        )}
        {onRemove && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Remove ${name}`}
            onClick={onRemove}
          >
            <IconX size={14} />
          </ActionIcon>
        )}
      </Group>
    </Paper>
  );
}

function SideFacts({ side }: { readonly side: ComparedSide }): ReactElement {
  return (
    <>
      {' · '}
      {countNoun(side.trials_counted, 'trial')}
      {side.trials_void > 0 && `, ${side.trials_void} void`}
      {' · '}
      <RelativeTime at={side.started_at} />
    </>
  );
}
