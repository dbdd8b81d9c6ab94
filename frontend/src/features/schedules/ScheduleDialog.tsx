import { Button, Group, Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import { type Plan, plansQuery } from '@/api/plans';
import { createSchedule, type Schedule, schedulesQuery, updateSchedule } from '@/api/schedules';
import { FailureState } from '@/components/FailureState';
import { ButtonLink } from '@/components/links';
import { showDone } from '@/components/notices';
import { messagesAt, type PathMessage } from '@/lib/json-path';
import { toProblem } from '@/lib/problem';
import { FiringPreview, useFirings } from './FiringPreview';
import { HowFields, type ScheduleFieldsProps, WhatFields, WhenFields } from './ScheduleFields';
import { bodyOf, draftOf, type ScheduleDraft } from './schedule-draft';

interface ScheduleDialogProps {
  /** Null for a new one. */
  readonly schedule: Schedule | null;
  /** The plan that a new one begins with. */
  readonly planId: string | null;
  readonly onClose: () => void;
}

export function ScheduleDialog(props: ScheduleDialogProps): ReactElement {
  const plans = useQuery(plansQuery);
  const title = props.schedule ? `Change “${props.schedule.name}”` : 'New schedule';
  return (
    <Modal opened onClose={props.onClose} title={title} size="lg">
      {plans.isPending && <Skeleton height={360} role="status" aria-label="Loading the plans" />}
      {plans.isError && (
        <FailureState
          what="The plans could not be read"
          code={toProblem(plans.error).code}
          detail={toProblem(plans.error).detail}
          onRetry={() => void plans.refetch()}
        />
      )}
      {plans.data?.items.length === 0 && <NoPlans />}
      {plans.data && plans.data.items.length > 0 && <ScheduleForm {...props} plans={plans.data.items} />}
    </Modal>
  );
}

function NoPlans(): ReactElement {
  return (
    <Stack align="start">
      <Text size="sm">A schedule starts a saved plan, and there is none yet. Compose one and save it.</Text>
      <ButtonLink to="/runs/new">Compose a plan</ButtonLink>
    </Stack>
  );
}

function useSave(schedule: Schedule | null, onClose: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ draft, plan }: { draft: ScheduleDraft; plan: Plan }) => {
      const body = bodyOf(draft, plan.id, plan.name);
      return schedule ? updateSchedule(schedule.id, schedule.version, body) : createSchedule(body);
    },
    onSuccess: async (saved) => {
      await queries.invalidateQueries({ queryKey: schedulesQuery.queryKey });
      showDone(`“${saved.name}” is saved.`);
      onClose();
    },
  });
}

function faultsOf(error: unknown): readonly PathMessage[] {
  if (!error) return [];
  const { errors, path, code, detail } = toProblem(error);
  return path ? [...errors, { path, code, message: detail }] : errors;
}

interface ScheduleFormProps extends ScheduleDialogProps {
  readonly plans: readonly Plan[];
}

function ScheduleForm({ schedule, planId, plans, onClose }: ScheduleFormProps): ReactElement {
  const [draft, setDraft] = useState(() => draftOf(schedule, planId ?? plans[0]?.id ?? null));
  const save = useSave(schedule, onClose);
  const { preview, faults } = useFirings(draft);
  const plan = plans.find(({ id }) => id === draft.planId);
  const problem = save.error ? toProblem(save.error) : null;
  const said = [...faults, ...faultsOf(save.error)];
  const fields: ScheduleFieldsProps = {
    draft,
    onChange: (patch) => {
      save.reset();
      setDraft({ ...draft, ...patch });
    },
    faultAt: (field) => messagesAt(said, field)[0]?.message,
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (plan) save.mutate({ draft, plan });
  };
  return (
    <Stack component="form" onSubmit={submit} aria-label="Schedule" gap="sm">
      {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
      {!plan && <Text size="sm">The plan of this schedule is archived: restore it, or choose another.</Text>}
      <TextInput
        label="Name"
        maxLength={200}
        data-autofocus
        placeholder={plan?.name}
        value={draft.name}
        error={fields.faultAt('name')}
        onChange={(event) => fields.onChange({ name: event.currentTarget.value })}
      />
      <WhatFields {...fields} plans={plans} />
      <WhenFields {...fields} />
      {preview && <FiringPreview cron={preview.cron} timeZone={draft.timeZone} firings={preview.firings} />}
      {!preview && faults.length === 0 && <Skeleton height={150} />}
      <HowFields {...fields} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button type="submit" loading={save.isPending} disabled={!plan || faults.length > 0}>
          Save the schedule
        </Button>
      </Group>
    </Stack>
  );
}
