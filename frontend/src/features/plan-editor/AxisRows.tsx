import { ActionIcon, Button, Group, Menu, Paper, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { parseAxisValues } from '@/lib/axis-values';
import { countNoun } from '@/lib/format';
import { PARAMETERS, parameterTitle } from '@/lib/parameters';
import { type AxisDraft, newAxis } from './draft';
import { FieldFindings, useRefusal } from './findings';

interface AxisRowsProps {
  readonly axes: readonly AxisDraft[];
  readonly onChange: (axes: AxisDraft[]) => void;
}

/** Every combination of the values becomes a point. */
export function AxisRows({ axes, onChange }: AxisRowsProps): ReactElement {
  const unused = PARAMETERS.filter(({ name }) => axes.every(({ parameter }) => parameter !== name));
  return (
    <Stack gap={6}>
      {axes.map((axis, index) => (
        <AxisChip
          key={axis.id}
          axis={axis}
          path={`axes.${index}`}
          onText={(text) => onChange(axes.map((other) => (other.id === axis.id ? { ...axis, text } : other)))}
          onRemove={() => onChange(axes.filter((other) => other.id !== axis.id))}
        />
      ))}
      <Menu position="bottom-start">
        <Menu.Target>
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<IconPlus size={12} />}
            style={{ alignSelf: 'flex-start' }}
          >
            Add an axis
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {unused.map(({ name, example }) => (
            <Menu.Item key={name} onClick={() => onChange([...axes, newAxis(name, example)])}>
              {parameterTitle(name)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Stack>
  );
}

interface AxisChipProps {
  readonly axis: AxisDraft;
  readonly path: string;
  readonly onText: (text: string) => void;
  readonly onRemove: () => void;
}

function AxisChip({ axis, path, onText, onRemove }: AxisChipProps): ReactElement {
  const refusal = useRefusal(path);
  const title = parameterTitle(axis.parameter);
  const { values, problem } = parseAxisValues(axis.text);
  return (
    <Paper withBorder p={8} className="axis-chip">
      <Group justify="space-between" wrap="nowrap" mb={4}>
        <Text size="xs" fw={600}>
          {title}
        </Text>
        <Group gap={4} wrap="nowrap">
          <Text size="xs" c="dimmed" className="numbers">
            {problem === null && countNoun(values.length, 'value')}
          </Text>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="xs"
            aria-label={`Remove the axis ${title}`}
            onClick={onRemove}
          >
            <IconX size={12} />
          </ActionIcon>
        </Group>
      </Group>
      <TextInput
        size="xs"
        aria-label={`Values of ${title}`}
        placeholder="4 8 16 or 4..256 x2 or 1..10 +1"
        value={axis.text}
        error={refusal}
        onChange={(event) => onText(event.currentTarget.value)}
        classNames={{ input: 'numbers' }}
      />
      {problem === null && /\.\./.test(axis.text) && (
        <Text size="xs" c="dimmed" mt={2} className="numbers">
          {values.join(' ')}
        </Text>
      )}
      <FieldFindings path={path} onlyWarnings />
    </Paper>
  );
}
