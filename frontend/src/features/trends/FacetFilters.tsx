import { Accordion, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { type Facet, facetsQuery } from '@/api/trends';
import { FailureState } from '@/components/FailureState';
import { TableSkeleton } from '@/components/Skeletons';
import { formatCount } from '@/lib/format';
import { toProblem } from '@/lib/problem';
import { labelTitle, type TrendPage, type TrendSearch, toggledLabel } from './view';

type Filters = Pick<TrendSearch, 'q' | 'label' | 'shifted'>;

/** Labels that most people ask for first stand open. */
const FIRST = ['target_kind', 'profile', 'load', 'connections', 'agent_class'];

/** Any label narrows the wall; values of one label are alternatives. */
export function FacetFilters({ view, onView }: TrendPage<Filters>): ReactElement {
  const facets = useQuery(facetsQuery);
  const chosen = view.label ?? [];
  return (
    <Stack gap="xs" component="section" aria-label="Filters">
      <SearchField key={view.q} text={view.q ?? ''} onText={(q) => onView({ q: q === '' ? undefined : q })} />
      <Checkbox
        size="xs"
        label="Only what shifted"
        checked={view.shifted ?? false}
        onChange={({ currentTarget }) => onView({ shifted: currentTarget.checked || undefined })}
      />
      {chosen.length > 0 && (
        <Button size="compact-xs" variant="default" onClick={() => onView({ label: undefined })}>
          Clear {chosen.length === 1 ? 'the filter' : `${chosen.length} filters`}
        </Button>
      )}
      {facets.isPending && <TableSkeleton rows={6} columns={1} />}
      {facets.isError && (
        <FailureState
          what="The labels could not be read"
          code={toProblem(facets.error).code}
          detail={toProblem(facets.error).detail}
          onRetry={() => facets.refetch()}
        />
      )}
      {facets.data && (
        <FacetList
          facets={facets.data.facets}
          chosen={chosen}
          onToggle={(label) => onView({ label: toggledLabel(view.label, label) })}
        />
      )}
    </Stack>
  );
}

const TYPING_MS = 300;

function SearchField({ text, onText }: { text: string; onText: (text: string) => void }): ReactElement {
  const [typed, setTyped] = useState(text);
  const tell = useDebouncedCallback(onText, TYPING_MS);
  return (
    <TextInput
      size="xs"
      aria-label="Search series"
      placeholder="Search series"
      leftSection={<IconSearch size={14} aria-hidden="true" />}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        tell(currentTarget.value);
      }}
    />
  );
}

interface FacetListProps {
  readonly facets: readonly Facet[];
  readonly chosen: readonly string[];
  readonly onToggle: (label: string) => void;
}

function FacetList({ facets, chosen, onToggle }: FacetListProps): ReactElement {
  const telling = facets.filter(
    ({ label, values }) =>
      values.length > 1 || values.some(({ value }) => chosen.includes(`${label}:${value}`)),
  );
  const [open, setOpen] = useState<string[]>(() => [
    ...FIRST,
    ...chosen.map((one) => one.slice(0, one.indexOf(':'))),
  ]);
  if (telling.length === 0) {
    return (
      <Text size="xs" c="dimmed">
        All series carry the same labels: there is nothing to tell them apart by.
      </Text>
    );
  }
  return (
    <Accordion
      multiple
      value={open}
      onChange={setOpen}
      chevronSize={14}
      classNames={{ control: 'facet-control' }}
    >
      {telling.map(({ label, values }) => (
        <Accordion.Item key={label} value={label}>
          <Accordion.Control>{labelTitle(label)}</Accordion.Control>
          <Accordion.Panel>
            <Stack gap={4} className="facet-values">
              {values.map(({ value, count }) => (
                <Group key={value} justify="space-between" wrap="nowrap" gap={6}>
                  <Checkbox
                    size="xs"
                    label={value}
                    classNames={{ label: 'facet-value' }}
                    checked={chosen.includes(`${label}:${value}`)}
                    onChange={() => onToggle(`${label}:${value}`)}
                  />
                  <Text size="xs" c="dimmed" className="numbers">
                    {formatCount(count)}
                  </Text>
                </Group>
              ))}
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}
