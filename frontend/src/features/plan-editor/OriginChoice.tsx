import { Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { plansQuery } from '@/api/plans';
import { firstSize, recipesQuery } from '@/api/recipes';
import { TextLink } from '@/components/links';
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
      items: (recipes?.items ?? []).flatMap(({ slug, title, sizes }) =>
        sizes.map(({ size }) => ({
          value: `recipe:${slug}:${size}`,
          label: sizes.length > 1 ? `${title} (${size})` : title,
        })),
      ),
    },
    {
      group: 'Saved plans',
      items: (plans?.items ?? []).map(({ id, name, version }) => ({
        value: `plan:${id}`,
        label: `${name} (version ${version})`,
      })),
    },
  ];
  const size = chosen && firstSize(chosen, origin.size)?.size;
  const value = chosen ? `recipe:${chosen.slug}:${size}` : origin.plan ? `plan:${origin.plan}` : null;
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
          {chosen.question}{' '}
          <TextLink to="/recipes/$slug" params={{ slug: chosen.slug }} size="xs" underline="always">
            About this recipe
          </TextLink>
        </Text>
      )}
    </div>
  );
}

function readOrigin(value: string | null): DraftOrigin {
  const [kind, id, size] = (value ?? '').split(':');
  if (kind === 'recipe') return { recipe: id, size: size === 'full' ? 'full' : 'quick' };
  return kind === 'plan' ? { plan: id } : {};
}
