import { Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { recipesQuery } from '@/api/plans';

interface RecipeChoiceProps {
  readonly slug: string | null;
  readonly onChange: (slug: string | null) => void;
}

/** Choosing one replaces the plan on the page. */
export function RecipeChoice({ slug, onChange }: RecipeChoiceProps): ReactElement {
  const { data } = useQuery(recipesQuery);
  const chosen = data?.items.find((recipe) => recipe.slug === slug);
  return (
    <div>
      <Select
        size="xs"
        label="Start from"
        placeholder="Blank plan"
        clearable
        searchable
        data={(data?.items ?? []).map((recipe) => ({ value: recipe.slug, label: recipe.title }))}
        value={chosen?.slug ?? null}
        onChange={onChange}
      />
      {chosen && (
        <Text size="xs" c="dimmed" mt={4}>
          {chosen.question}
        </Text>
      )}
    </div>
  );
}
