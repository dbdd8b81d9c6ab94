import { Button, Checkbox, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { type RunListItem, runQuery, runsQuery } from '@/api/runs';
import { RelativeTime } from '@/components/RelativeTime';
import { toProblem } from '@/lib/problem';
import { sideText } from './view';

interface AddSideProps {
  readonly chosen: readonly string[];
  readonly onAdd: (sides: string[]) => void;
}

const SHOWN = 20;
const TYPING_MS = 200;

/** Finds runs by name; a run of several targets can be added whole or target by target. */
export function AddSide({ chosen, onAdd }: AddSideProps): ReactElement {
  const [isOpen, popover] = useDisclosure(false);
  const add = (sides: string[]) => {
    onAdd(sides.filter((side) => !chosen.includes(side)));
    popover.close();
  };
  return (
    <Popover
      opened={isOpen}
      onChange={(open) => !open && popover.close()}
      width={360}
      position="bottom-start"
      trapFocus
    >
      <Popover.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden="true" />}
          onClick={popover.toggle}
        >
          {chosen.length === 0 ? 'Choose a base' : 'Add a contender'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <RunSearch onAdd={add} />
      </Popover.Dropdown>
    </Popover>
  );
}

function RunSearch({ onAdd }: { readonly onAdd: (sides: string[]) => void }): ReactElement {
  const [text, setText] = useState('');
  const [run, setRun] = useState<RunListItem | null>(null);
  const [wanted] = useDebouncedValue(text, TYPING_MS);
  const runs = useInfiniteQuery({ ...runsQuery({ q: wanted || undefined }, SHOWN), refetchInterval: false });
  const problem = runs.error ? toProblem(runs.error) : null;
  const items = (runs.data?.pages[0]?.items ?? []).filter(({ status_counts }) => status_counts.succeeded > 0);
  if (run) return <TargetChoice run={run} onAdd={onAdd} onBack={() => setRun(null)} />;
  return (
    <Stack gap={6}>
      <TextInput
        size="xs"
        data-autofocus
        aria-label="Find a run by name"
        placeholder="Find a run by name"
        leftSection={<IconSearch size={14} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {problem && <Text size="xs">{problem.detail}</Text>}
      <Stack gap={0} mah={280} style={{ overflowY: 'auto' }}>
        {items.map((item) => (
          <Button
            key={item.id}
            variant="subtle"
            color="gray"
            size="compact-sm"
            justify="space-between"
            fullWidth
            rightSection={<RelativeTime at={item.started_at} />}
            onClick={() => setRun(item)}
          >
            <span className="run-choice">{item.name}</span>
          </Button>
        ))}
        {runs.data && items.length === 0 && (
          <Text size="xs" c="dimmed">
            No run of that name has results.
          </Text>
        )}
      </Stack>
    </Stack>
  );
}

interface TargetChoiceProps {
  readonly run: RunListItem;
  readonly onAdd: (sides: string[]) => void;
  readonly onBack: () => void;
}

function TargetChoice({ run, onAdd, onBack }: TargetChoiceProps): ReactElement {
  const found = useQuery(runQuery(run.id));
  const targets = found.data?.definition.targets.map(({ name }) => name) ?? [];
  const [picked, setPicked] = useState<readonly string[]>([]);
  const toggle = (name: string) =>
    setPicked(picked.includes(name) ? picked.filter((other) => other !== name) : [...picked, name]);
  const sides = picked.map((target) => sideText({ run_id: run.id, target }));
  return (
    <Stack gap={6}>
      <Text size="sm" fw={600}>
        {run.name}
      </Text>
      {targets.length > 1 &&
        targets.map((name) => (
          <Checkbox
            key={name}
            size="xs"
            label={name}
            checked={picked.includes(name)}
            onChange={() => toggle(name)}
          />
        ))}
      <Group gap={6}>
        <Button
          size="compact-sm"
          disabled={!found.data}
          onClick={() => onAdd(sides.length > 0 ? sides : [run.id])}
        >
          {sides.length > 0
            ? `Add ${sides.length === 1 ? 'this target' : 'these targets'}`
            : 'Add the whole run'}
        </Button>
        <Button size="compact-sm" variant="default" onClick={onBack}>
          Back
        </Button>
      </Group>
    </Stack>
  );
}
