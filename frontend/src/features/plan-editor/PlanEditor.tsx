import { Paper, Stack, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useCallback, useMemo, useState } from 'react';
import type { Plan, PlanDefinition } from '@/api/plans';
import type { RecipeRef } from '@/api/recipes';
import { targetsQuery } from '@/api/targets';
import { AgentChoice } from './AgentChoice';
import { AxisRows } from './AxisRows';
import { asSaved, axisFaults, type Draft, formOf, isSavedAs, toDefinition } from './draft';
import { type DraftOrigin, dropDraft, keepDraft, moveDraft } from './draft-storage';
import { EngineChips } from './EngineChips';
import { type Findings, FindingsContext, useRefusal } from './findings';
import { LoadFields } from './LoadFields';
import { OriginChoice } from './OriginChoice';
import { PlanActions } from './PlanActions';
import { PlanText } from './PlanText';
import { PreviewPanel } from './PreviewPanel';
import { TargetPicker, targetName } from './TargetPicker';
import { TargetPromises } from './TargetPromises';
import { TrialFields } from './TrialFields';
import { replaysTrace } from './trace-workload';
import { usePlanPreview } from './usePlanPreview';
import { WorkloadList } from './WorkloadList';

interface PlanEditorProps {
  readonly initial: Draft;
  readonly origin: DraftOrigin;
  readonly onOrigin: (origin: DraftOrigin) => void;
  readonly onStarted: (runId: string) => void;
  /** Another plan than the one it began as was saved. */
  readonly onSaved: (planId: string) => void;
  readonly onSchedule: (planId: string) => void;
  readonly onReload: () => void;
}

/** The draft, what it would be as a plan, and what is said against it. */
function useDraft(initial: Draft, origin: DraftOrigin) {
  const [draft, setDraft] = useState(initial);
  const [submitFindings, setSubmitFindings] = useState<Findings['refusals']>([]);
  const { data: saved } = useQuery(targetsQuery);
  const targetNames = useMemo(
    () => draft.definition.targets.map((target) => targetName(target, saved?.items)),
    [draft, saved],
  );
  const definition = useMemo(() => toDefinition(draft, targetNames), [draft, targetNames]);
  const faults = useMemo(() => axisFaults(draft.axes), [draft.axes]);
  const answer = usePlanPreview(definition, draft.agentChoice, faults);
  const findings = useMemo(
    () => ({ ...answer.findings, refusals: unique([...answer.findings.refusals, ...submitFindings]) }),
    [answer.findings, submitFindings],
  );
  const change = useCallback(
    (next: Draft) => {
      setSubmitFindings([]);
      setDraft(next);
      keepDraft(origin, next);
    },
    [origin],
  );
  return { draft, definition, targetNames, answer, findings, change, setSubmitFindings };
}

/** What becomes of the draft when it has been started or saved. */
function endingsOf(
  { origin, onStarted, onSaved }: PlanEditorProps,
  draft: Draft,
  change: (next: Draft) => void,
) {
  const started = (runId: string) => {
    dropDraft(origin);
    onStarted(runId);
  };
  const saved = (plan: Plan) => {
    const next = asSaved(draft, plan);
    if (plan.id === origin.plan && origin.version === undefined) return change(next);
    moveDraft(origin, { plan: plan.id }, next);
    return onSaved(plan.id);
  };
  return { started, saved };
}

/** What, how hard, what it means: one page, three columns. */
export function PlanEditor(props: PlanEditorProps): ReactElement {
  const { initial, origin, onOrigin } = props;
  const editing = useDraft(initial, origin);
  const { draft, definition, targetNames, answer, findings, change } = editing;
  const { started, saved } = endingsOf(props, draft, change);
  return (
    <FindingsContext.Provider value={findings}>
      <div className="plan-columns">
        <WhatColumn
          draft={draft}
          plan={definition}
          onChange={change}
          origin={origin}
          onOrigin={onOrigin}
          targetNames={targetNames}
        />
        <HowHardColumn draft={draft} onChange={change} />
        <Column title="What it means">
          <PreviewPanel
            {...answer}
            findings={findings}
            onRetry={answer.retry}
            promises={<TargetPromises targets={definition.targets} />}
          >
            <AgentChoice
              agentChoice={draft.agentChoice}
              onChange={(agentChoice) => change({ ...draft, agentChoice })}
            />
            <PlanActions
              definition={definition}
              agentChoice={draft.agentChoice}
              planId={origin.plan}
              planVersion={draft.planVersion}
              recipe={recipeOf(origin)}
              isSaved={isSavedAs(definition, draft.savedText)}
              isRefused={findings.refusals.length > 0}
              onRefused={editing.setSubmitFindings}
              onStarted={started}
              onSaved={saved}
              onSchedule={props.onSchedule}
              onReload={props.onReload}
            />
          </PreviewPanel>
          <PlanText definition={definition} onDefinition={(next) => change({ ...draft, ...formOf(next) })} />
        </Column>
      </div>
    </FindingsContext.Provider>
  );
}

function recipeOf({ recipe, size }: DraftOrigin): RecipeRef | undefined {
  return recipe === undefined ? undefined : { slug: recipe, size: size ?? 'quick' };
}

function unique(findings: Findings['refusals']): Findings['refusals'] {
  const seen = new Set<string>();
  return findings.filter(({ path, message }) => {
    const key = `${path}\n${message}`;
    return !seen.has(key) && seen.add(key);
  });
}

function Column({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactElement {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      <Stack gap="md">{children}</Stack>
    </Paper>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactElement {
  return (
    <div>
      <Title order={3} size="h6" mb={6}>
        {title}
      </Title>
      {children}
    </div>
  );
}

interface DraftColumnProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

interface WhatColumnProps extends DraftColumnProps {
  readonly plan: PlanDefinition;
  readonly origin: DraftOrigin;
  readonly onOrigin: (origin: DraftOrigin) => void;
  readonly targetNames: readonly string[];
}

function WhatColumn(props: WhatColumnProps): ReactElement {
  const { draft, onChange, plan, origin, onOrigin, targetNames } = props;
  const { definition } = draft;
  const set = (patch: Partial<PlanDefinition>) =>
    onChange({ ...draft, definition: { ...definition, ...patch } });
  return (
    <Column title="What">
      <OriginChoice origin={origin} onChange={onOrigin} />
      <TextInput
        size="xs"
        label="Name"
        placeholder={plan.name}
        maxLength={200}
        value={definition.name}
        error={useRefusal('name')}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <Part title="Targets">
        <TargetPicker chosen={definition.targets} onChange={(targets) => set({ targets })} />
      </Part>
      <Part title="Workload">
        <WorkloadList plan={plan} targetNames={targetNames} onChange={set} />
      </Part>
    </Column>
  );
}

function HowHardColumn({ draft, onChange }: DraftColumnProps): ReactElement {
  const { definition } = draft;
  const set = (patch: Partial<PlanDefinition>) =>
    onChange({ ...draft, definition: { ...definition, ...patch } });
  return (
    <Column title="How hard">
      <Part title="Axes">
        <AxisRows axes={draft.axes} onChange={(axes) => onChange({ ...draft, axes })} />
      </Part>
      <Part title="Load">
        <LoadFields
          load={definition.load}
          threads={definition.threads}
          mayReplay={replaysTrace(definition)}
          onLoad={(load) => set({ load })}
          onThreads={(threads) => set({ threads })}
        />
      </Part>
      <Part title="Engines">
        <EngineChips engines={definition.engines} onChange={(engines) => set({ engines })} />
      </Part>
      <Part title="Trials">
        <TrialFields plan={definition} onChange={set} />
      </Part>
    </Column>
  );
}
