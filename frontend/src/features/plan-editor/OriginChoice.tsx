import { Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { plansQuery, recipesQuery } from '@/api/plans';
import type { DraftOrigin } from './draft-storage';

interface OriginChoiceProps {
  readonly origin: DraftOrigin;
  readonly onChange: (origin: DraftOrigin) => void;
}

/** A recipe, a saved plan or a blank one. Choosing replaces the plan on the page. */
export function OriginChoice({ origin, onChange }: OriginChoiceProps): ReactElement {
  const { data: recipes } = useQuery(recipesQuery);
  const { data: plans } = useQuery(plansQuery);
  const chosen = recipes?.items.find(({ slug }) => slug === origin.recipe);
  const choices = [
    {
      group: 'Recipes',
      items: (recipes?.items ?? []).map(({ slug, title }) => ({ value: `recipe:${slug}`, label: title })),
    },
    {
      group: 'Saved plans',
      items: (plans?.items ?? []).map(({ id, name, version }) => ({
        value: `plan:${id}`,
        label: `${name} (version ${version})`,
      })),
    },
  ];
  const value = origin.recipe ? `recipe:${origin.recipe}` : origin.plan ? `plan:${origin.plan}` : null;
  return (
    <div>
      <Select
        size="xs"
        label="Start from"
        placeholder={origin.from ? 'A run, cloned' : 'Blank plan'}
        clearable
        searchable
        data={choices.filter(({ items }) => items.length > 0)}
        value={value}
        onChange={(next) => onChange(readOrigin(next))}
      />
      {chosen && (
        <Text size="xs" c="dimmed" mt={4}>
          {chosen.question}
        </Text>
      )}
    </div>
  );
}

function readOrigin(value: string | null): DraftOrigin {
  if (value?.startsWith('recipe:')) return { recipe: value.slice('recipe:'.length) };
  return value?.startsWith('plan:') ? { plan: value.slice('plan:'.length) } : {};
}
