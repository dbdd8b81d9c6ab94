import { Badge, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconBook2, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { type RecipeItem, recipesQuery } from '@/api/recipes';
import { TextLink } from '@/components/links';
import { QueryPart } from '@/components/QueryPart';
import { describeSize } from './words';

interface RecipeGalleryProps {
  readonly q: string | undefined;
  readonly onQ: (q: string | undefined) => void;
}

/** Plans that ship with the product: studies somebody published, then the others. */
export function RecipeGallery({ q, onQ }: RecipeGalleryProps): ReactElement {
  const recipes = useQuery(recipesQuery);
  return (
    <Stack gap="md">
      <TextInput
        size="xs"
        w={260}
        aria-label="Filter recipes"
        placeholder="Filter recipes ( / )"
        data-page-filter
        leftSection={<IconSearch size={14} />}
        value={q ?? ''}
        onChange={({ currentTarget }) => onQ(currentTarget.value || undefined)}
      />
      <QueryPart query={recipes} what="The recipes could not be read">
        {({ items }) => <Gallery items={items.filter((item) => isFound(item, q))} q={q} />}
      </QueryPart>
    </Stack>
  );
}

function isFound({ title, question, summary, slug }: RecipeItem, q: string | undefined): boolean {
  const words = (q ?? '').toLowerCase().split(/\s+/);
  const text = `${title} ${question} ${summary} ${slug}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

interface GalleryProps {
  readonly items: readonly RecipeItem[];
  readonly q: string | undefined;
}

function Gallery({ items, q }: GalleryProps): ReactElement {
  if (items.length === 0) return <Text size="sm">No recipe speaks of “{q}”.</Text>;
  const studies = items.filter(({ study }) => study);
  return (
    <>
      <Shelf
        title="Studies"
        note="Published once, here to be run again: your curves are drawn over theirs."
        items={studies}
      />
      <Shelf
        title="More recipes"
        note="Questions that come up again and again."
        items={items.filter(({ study }) => !study)}
      />
    </>
  );
}

interface ShelfProps {
  readonly title: string;
  readonly note: string;
  readonly items: readonly RecipeItem[];
}

function Shelf({ title, note, items }: ShelfProps): ReactElement | null {
  if (items.length === 0) return null;
  return (
    <section aria-label={title}>
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {note}
      </Text>
      <div className="card-grid">
        {items.map((item) => (
          <RecipeCard key={item.slug} recipe={item} />
        ))}
      </div>
    </section>
  );
}

function RecipeCard({ recipe }: { readonly recipe: RecipeItem }): ReactElement {
  const { slug, title, question, study, sizes } = recipe;
  return (
    <Paper withBorder p="md" className="recipe-card" component="article" aria-label={title}>
      <Stack gap={6} h="100%">
        <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
          <TextLink to="/recipes/$slug" params={{ slug }} fw={650} className="recipe-link">
            {title}
          </TextLink>
          {study && (
            <Badge
              variant="default"
              size="sm"
              flex="none"
              leftSection={<IconBook2 size={11} aria-hidden="true" />}
            >
              study
            </Badge>
          )}
        </Group>
        <Text size="sm" style={{ flex: 1 }}>
          {question}
        </Text>
        {[...sizes]
          .sort((a, b) => a.trial_count - b.trial_count)
          .map((size) => (
            <Text key={size.size} size="xs" c="dimmed" className="numbers">
              {describeSize(size)}
            </Text>
          ))}
      </Stack>
    </Paper>
  );
}
