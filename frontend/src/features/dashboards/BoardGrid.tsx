import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import {
  arrayMove,
  rectSortingStrategy,
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
} from '@dnd-kit/sortable';
import { ActionIcon, Group, NativeSelect, Paper, Text } from '@mantine/core';
import { IconGripVertical, IconPencil, IconTrash } from '@tabler/icons-react';
import type { CSSProperties, ReactElement, ReactNode } from 'react';
import type { Panel } from '@/api/dashboards';
import { WhenVisible } from '@/components/WhenVisible';

const STEP_PX = 130;
/** Title, keys and the sentence around a chart. */
const FRAME_PX = 76;

export type RenderPanel = (panel: Panel, heightPx: number) => ReactNode;

function heightOf({ height }: Panel): number {
  return (height ?? 2) * STEP_PX;
}

/** The panels as everyone sees them. */
export function BoardGrid({
  panels,
  render,
}: {
  panels: readonly Panel[];
  render: RenderPanel;
}): ReactElement {
  return (
    <div className="board-grid">
      {panels.map((panel) => (
        <div key={panel.id} className="board-panel" data-width={panel.width ?? 1}>
          <WhenVisible minHeight={heightOf(panel)}>
            {() => render(panel, heightOf(panel) - FRAME_PX)}
          </WhenVisible>
        </div>
      ))}
    </div>
  );
}

interface EditGridProps {
  readonly panels: readonly Panel[];
  readonly render: RenderPanel;
  readonly onPanels: (panels: Panel[]) => void;
  readonly onEdit: (panel: Panel) => void;
}

/** The same panels, to be moved (by mouse, or by Space and the arrow keys), widened, edited and removed. */
export function EditGrid({ panels, render, onPanels, onEdit }: EditGridProps): ReactElement {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const drop = ({ active, over }: DragEndEvent) => {
    if (!over || active.id === over.id) return;
    const place = (id: unknown) => panels.findIndex((panel) => panel.id === id);
    onPanels(arrayMove([...panels], place(active.id), place(over.id)));
  };
  const change = (id: string, patch: Partial<Panel>) =>
    onPanels(panels.map((panel) => (panel.id === id ? { ...panel, ...patch } : panel)));
  return (
    <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={drop}>
      <SortableContext items={panels.map(({ id }) => id)} strategy={rectSortingStrategy}>
        <div className="board-grid">
          {panels.map((panel) => (
            <EditablePanel
              key={panel.id}
              panel={panel}
              render={render}
              onChange={(patch) => change(panel.id, patch)}
              onEdit={() => onEdit(panel)}
              onRemove={() => onPanels(panels.filter(({ id }) => id !== panel.id))}
            />
          ))}
        </div>
      </SortableContext>
    </DndContext>
  );
}

interface EditablePanelProps {
  readonly panel: Panel;
  readonly render: RenderPanel;
  readonly onChange: (patch: Partial<Panel>) => void;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function EditablePanel({ panel, render, onChange, onEdit, onRemove }: EditablePanelProps): ReactElement {
  const { attributes, listeners, setNodeRef, transform, transition, isDragging } = useSortable({
    id: panel.id,
  });
  const style: CSSProperties = {
    transform: transform ? `translate(${transform.x}px, ${transform.y}px)` : undefined,
    transition,
    zIndex: isDragging ? 3 : undefined,
  };
  const name = panel.title || `${panel.view.kind} panel`;
  return (
    <div ref={setNodeRef} style={style} className="board-panel" data-width={panel.width ?? 1}>
      <Paper withBorder p={6} className="board-editing">
        <PanelBar {...{ panel, name, onChange, onEdit, onRemove }} grip={{ ...attributes, ...listeners }} />
        <div inert>{render(panel, heightOf(panel) - FRAME_PX)}</div>
      </Paper>
    </div>
  );
}

interface PanelBarProps extends Omit<EditablePanelProps, 'render'> {
  readonly name: string;
  readonly grip: object;
}

function PanelBar({ panel, name, grip, onChange, onEdit, onRemove }: PanelBarProps): ReactElement {
  return (
    <Group gap={6} wrap="nowrap" mb={6}>
      <ActionIcon variant="subtle" color="gray" className="board-grip" {...grip} aria-label={`Move ${name}`}>
        <IconGripVertical size={16} />
      </ActionIcon>
      <Text size="sm" fw={550} truncate style={{ flex: 1 }}>
        {name}
      </Text>
      <SizeChoice
        label={`Width of ${name}`}
        words={['1/3', '2/3', 'full']}
        value={panel.width ?? 1}
        onChange={(width) => onChange({ width })}
      />
      <SizeChoice
        label={`Height of ${name}`}
        words={['flat', 'low', 'high', 'tall']}
        value={panel.height ?? 2}
        onChange={(height) => onChange({ height })}
      />
      <ActionIcon variant="subtle" color="gray" aria-label={`Edit ${name}`} onClick={onEdit}>
        <IconPencil size={16} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="red" aria-label={`Remove ${name}`} onClick={onRemove}>
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  );
}

interface SizeChoiceProps {
  readonly label: string;
  readonly words: readonly string[];
  readonly value: number;
  readonly onChange: (value: number) => void;
}

function SizeChoice({ label, words, value, onChange }: SizeChoiceProps): ReactElement {
  return (
    <NativeSelect
      size="xs"
      aria-label={label}
      data={words.map((word, index) => ({ value: String(index + 1), label: word }))}
      value={String(value)}
      onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
    />
  );
}
