import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import { IconClockPause } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type AlertDetail, type AlertState, type PatchAlert, patchAlert } from '@/api/alerts';
import { useMay } from '@/api/use-may';
import { FailureState } from '@/components/FailureState';
import { RelativeTime } from '@/components/RelativeTime';
import { toProblem } from '@/lib/problem';
import { OwnerSelect, type Person } from './OwnerSelect';

interface AlertActionsProps {
  readonly alert: AlertDetail;
  readonly people: readonly Person[];
}

/** What a person does to bring an alert into each state. */
const VERBS: Record<AlertState, string> = {
  suspected: 'Suspect it again',
  confirmed: 'It is real',
  acknowledged: 'Take it up',
  expected: 'It was expected',
  fixed: 'It is fixed',
  false: 'False alarm',
};

const HOUR_MS = 3_600_000;
const SNOOZES = [
  { label: 'for a day', ms: 24 * HOUR_MS },
  { label: 'for a week', ms: 7 * 24 * HOUR_MS },
  { label: 'for a month', ms: 30 * 24 * HOUR_MS },
];

/** State, owner and snooze: the server's table says which states may follow. */
export function AlertActions({ alert, people }: AlertActionsProps): ReactElement | null {
  const mayEdit = useMay('editor');
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (body: PatchAlert) => patchAlert(alert.id, body),
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  });
  const problem = change.error ? toProblem(change.error) : null;
  if (!mayEdit) return null;
  return (
    <Stack gap="xs">
      {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
      <Group gap="xs" role="group" aria-label="State">
        {alert.next_states.map((state) => (
          <Button
            key={state}
            size="xs"
            variant="default"
            loading={change.isPending && change.variables.state === state}
            onClick={() => change.mutate({ state })}
          >
            {VERBS[state]}
          </Button>
        ))}
      </Group>
      <Group gap="sm" align="flex-end">
        <OwnerSelect
          size="xs"
          label="Owner"
          people={people}
          value={alert.owner?.id ?? null}
          isDisabled={change.isPending}
          onOwner={(owner_id) => change.mutate({ owner_id })}
        />
        <Snooze alert={alert} onSnooze={(snoozed_until) => change.mutate({ snoozed_until })} />
      </Group>
    </Stack>
  );
}

interface SnoozeProps {
  readonly alert: AlertDetail;
  readonly onSnooze: (until: string | null) => void;
}

function Snooze({ alert, onSnooze }: SnoozeProps): ReactElement {
  if (alert.is_snoozed) {
    return (
      <Group gap="xs">
        <Text size="sm">
          Snoozed, back <RelativeTime at={alert.snoozed_until} />
        </Text>
        <Button size="xs" variant="default" onClick={() => onSnooze(null)}>
          Wake it
        </Button>
      </Group>
    );
  }
  return (
    <Menu>
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconClockPause size={15} aria-hidden="true" />}>
          Snooze
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {SNOOZES.map(({ label, ms }) => (
          <Menu.Item key={label} onClick={() => onSnooze(new Date(Date.now() + ms).toISOString())}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
