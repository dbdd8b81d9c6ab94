import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import type { Panel, PanelView } from '@/api/dashboards';
import { ComparisonFields } from './ComparisonFields';
import { isComplete, PANEL_KINDS } from './panel-id';
import { RunFields } from './RunFields';
import { TextFields } from './TextFields';
import { TrendFields } from './TrendFields';

interface PanelDialogProps {
  readonly panel: Panel;
  readonly onPanel: (panel: Panel) => void;
  readonly onClose: () => void;
}

export function PanelDialog({ panel, onPanel, onClose }: PanelDialogProps): ReactElement {
  const [title, setTitle] = useState(panel.title ?? '');
  const [view, setView] = useState<PanelView>(panel.view);
  const kind = PANEL_KINDS.find((one) => one.kind === view.kind);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onPanel({ ...panel, title, view });
  };
  return (
    <Modal opened onClose={onClose} title={`${kind?.title ?? ''} panel`} centered size="lg">
      <Stack component="form" onSubmit={submit}>
        <TextInput
          label="Title"
          maxLength={200}
          data-autofocus
          value={title}
          onChange={({ currentTarget }) => setTitle(currentTarget.value)}
        />
        <ViewFields view={view} onView={setView} />
        <Group justify="flex-end">
          <Button type="submit" disabled={!isComplete(view)}>
            Put it on the dashboard
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface ViewFieldsProps {
  readonly view: PanelView;
  readonly onView: (view: PanelView) => void;
}

function ViewFields({ view, onView }: ViewFieldsProps): ReactElement {
  switch (view.kind) {
    case 'trend':
      return <TrendFields view={view} onView={onView} />;
    case 'run':
      return <RunFields view={view} onView={onView} />;
    case 'comparison':
      return <ComparisonFields view={view} onView={onView} />;
    case 'text':
      return <TextFields view={view} onView={onView} />;
  }
}
