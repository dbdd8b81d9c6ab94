import { Button, Group, Menu, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { type Dashboard, type Panel, saveDashboard } from '@/api/dashboards';
import { FailureState } from '@/components/FailureState';
import { showDone } from '@/components/notices';
import { toProblem } from '@/lib/problem';
import { EditGrid, type RenderPanel } from './BoardGrid';
import { ConflictDialog } from './ConflictDialog';
import { type Draft, useDraft } from './draft-storage';
import { PanelDialog } from './PanelDialog';
import { blankPanel, PANEL_KINDS, withPanel } from './panel-id';

interface DashboardEditorProps {
  /** As it stands now; it may move on while this draft is open. */
  readonly saved: Dashboard;
  readonly render: RenderPanel;
  readonly onDone: () => void;
}

const REFRESH = [
  { value: '0', label: 'never' },
  { value: '10', label: '10 s' },
  { value: '30', label: '30 s' },
  { value: '60', label: '1 min' },
  { value: '300', label: '5 min' },
  { value: '3600', label: '1 h' },
];

export function DashboardEditor({ saved, render, onDone }: DashboardEditorProps): ReactElement {
  const editor = useEditor(saved, onDone);
  const { draft, change, isChanged, save, problem, hasConflict } = editor;
  const [editing, setEditing] = useState<Panel | null>(null);
  const { content } = draft;
  return (
    <Stack gap="sm">
      <h1 className="visually-hidden">Edit {saved.name}</h1>
      <EditorBar draft={draft} onChange={change} onAdd={(panel) => setEditing(panel)}>
        <Button variant="default" onClick={editor.discard}>
          {isChanged ? 'Discard' : 'Done'}
        </Button>
        <Button
          disabled={!isChanged || content.name === ''}
          loading={save.isPending}
          onClick={() => save.mutate(draft)}
        >
          Save
        </Button>
      </EditorBar>
      {saved.version > draft.base.version && !hasConflict && (
        <Text size="sm" role="status">
          {saved.changed_by?.name ?? 'Someone'} saved this dashboard meanwhile. Saving yours will show both.
        </Text>
      )}
      {problem && !hasConflict && (
        <FailureState what={problem.title} code={problem.code} detail={problem.detail} />
      )}
      <EditGrid
        panels={content.panels ?? []}
        render={render}
        onPanels={(panels) => change({ panels })}
        onEdit={setEditing}
      />
      {editing && (
        <PanelDialog
          panel={editing}
          onClose={() => setEditing(null)}
          onPanel={(panel) => {
            change({ panels: withPanel(content, panel).panels });
            setEditing(null);
          }}
        />
      )}
      {hasConflict && <ConflictDialog draft={draft} onSaved={editor.finish} onClose={() => save.reset()} />}
    </Stack>
  );
}

/** The draft, its saving, and what stands in the way of it. */
function useEditor(saved: Dashboard, onDone: () => void) {
  const queries = useQueryClient();
  const { draft, setDraft, forget, isChanged } = useDraft(saved);
  const change = (patch: Partial<Draft['content']>) =>
    setDraft({ ...draft, content: { ...draft.content, ...patch } });
  const finish = async (dashboard: Dashboard) => {
    forget();
    queries.setQueryData(['dashboards', dashboard.id], dashboard);
    await queries.invalidateQueries({ queryKey: ['dashboards'] });
    showDone(`“${dashboard.name}” is saved.`);
    onDone();
  };
  const save = useMutation({
    mutationFn: (one: Draft) => saveDashboard(one.base.id, one.base.version, one.content),
    onSuccess: finish,
  });
  const discard = () => {
    forget();
    onDone();
  };
  const problem = save.error ? toProblem(save.error) : null;
  const hasConflict = problem?.code === 'dashboard_changed';
  useBlocker({
    shouldBlockFn: ({ next }) => next.pathname !== `/dashboards/${saved.id}` && !window.confirm(LEAVING),
    disabled: !isChanged,
    enableBeforeUnload: false,
  });
  return { draft, change, finish, discard, save, isChanged, problem, hasConflict };
}

const LEAVING = 'Leave without saving? Your changes are kept in this tab until you come back.';

interface EditorBarProps {
  readonly draft: Draft;
  readonly onChange: (patch: Partial<Draft['content']>) => void;
  readonly onAdd: (panel: Panel) => void;
  readonly children: React.ReactNode;
}

function EditorBar({ draft: { content }, onChange, onAdd, children }: EditorBarProps): ReactElement {
  return (
    <Group align="flex-end" gap="sm">
      <TextInput
        label="Name"
        required
        maxLength={200}
        style={{ flex: '1 1 220px' }}
        value={content.name}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <NativeSelect
        label="Refresh every"
        data={REFRESH}
        value={String(content.refresh_s ?? 0)}
        onChange={({ currentTarget }) => onChange({ refresh_s: Number(currentTarget.value) || null })}
      />
      <Switch
        label="On the home page"
        mb={8}
        checked={content.is_pinned ?? false}
        onChange={({ currentTarget }) => onChange({ is_pinned: currentTarget.checked })}
      />
      <Menu>
        <Menu.Target>
          <Button variant="default" leftSection={<IconPlus size={15} aria-hidden="true" />}>
            Add panel
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {PANEL_KINDS.map(({ kind, title, meaning }) => (
            <Menu.Item key={kind} onClick={() => onAdd(blankPanel(kind))}>
              {title}
              <Text size="xs" c="dimmed">
                {meaning}
              </Text>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {children}
    </Group>
  );
}
