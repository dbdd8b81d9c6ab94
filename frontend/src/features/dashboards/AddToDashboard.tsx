import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLayoutDashboard } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactElement, useState } from 'react';
import {
  contentOf,
  createDashboard,
  type Dashboard,
  dashboardsQuery,
  readDashboard,
  saveDashboard,
  type TrendView,
} from '@/api/dashboards';
import { FailureState } from '@/components/FailureState';
import { toProblem } from '@/lib/problem';
import { newPanel, withPanel } from './panel-id';

interface AddToDashboardProps {
  readonly view: {
    readonly metric?: string;
    readonly op?: string;
    readonly days?: number;
    readonly split?: boolean;
  };
  readonly seriesIds?: readonly string[];
  readonly labels?: readonly string[];
  readonly title: string;
}

/** What is seen as a panel of a dashboard that is there, or of a new one. */
export function AddToDashboard(props: AddToDashboardProps): ReactElement {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconLayoutDashboard size={15} aria-hidden="true" />}
        onClick={dialog.open}
      >
        Add to dashboard
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title="Add to a dashboard" centered>
        <AddForm {...props} />
      </Modal>
    </>
  );
}

const NEW = 'new';

function AddForm(props: AddToDashboardProps): ReactElement {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const dashboards = useInfiniteQuery(dashboardsQuery());
  const [chosen, setChosen] = useState<string>(NEW);
  const [name, setName] = useState('');
  const add = useMutation({
    mutationFn: () => addPanel(chosen, name, props),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['dashboards'] });
      await navigate({ to: '/dashboards/$dashboardId', params: { dashboardId: id } });
    },
  });
  const items = dashboards.data?.pages.flatMap((page) => page.items) ?? [];
  const problem = add.error ? toProblem(add.error) : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <Stack component="form" onSubmit={submit}>
      {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
      <Select
        label="Dashboard"
        allowDeselect={false}
        data={[
          { value: NEW, label: 'A new dashboard' },
          ...items.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={chosen}
        onChange={(value) => setChosen(value ?? NEW)}
      />
      {chosen === NEW && (
        <TextInput
          label="Its name"
          required
          maxLength={200}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
      )}
      <Group justify="flex-end">
        <Button type="submit" loading={add.isPending}>
          Add
        </Button>
      </Group>
    </Stack>
  );
}

async function addPanel(chosen: string, name: string, props: AddToDashboardProps): Promise<Dashboard> {
  const panel = newPanel(trendView(props), props.title);
  if (chosen === NEW) return createDashboard({ name, refresh_s: null, is_pinned: false, panels: [panel] });
  const dashboard = await readDashboard(chosen);
  return saveDashboard(chosen, dashboard.version, withPanel(contentOf(dashboard), panel));
}

const DEFAULT_DAYS = 90;

function trendView({ view, seriesIds, labels }: AddToDashboardProps): TrendView {
  return {
    kind: 'trend',
    series_ids: [...(seriesIds ?? [])],
    labels: seriesIds ? [] : [...(labels ?? [])],
    metric: view.metric ?? 'throughput_per_s',
    operation: view.op ?? 'all',
    days: view.days === 0 ? null : (view.days ?? DEFAULT_DAYS),
    is_split_by_version: view.split ?? false,
  };
}
