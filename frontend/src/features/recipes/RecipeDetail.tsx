import { Badge, Grid, List, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { IconBook2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { firstSize, type Recipe, recipeQuery, type SizeName } from '@/api/recipes';
import { FailureState } from '@/components/FailureState';
import { PageHeader } from '@/components/PageHeader';
import { CardsSkeleton } from '@/components/Skeletons';
import { SourceLine } from '@/components/SourceDialog';
import { countNoun } from '@/lib/format';
import { toProblem } from '@/lib/problem';
import { PreviousRuns } from './PreviousRuns';
import { PublishedFigures } from './PublishedFigures';
import { RecipeActions } from './RecipeActions';
import { RecipeFitness } from './RecipeFitness';
import { SizeChoice } from './SizeChoice';

export interface RecipePageProps {
  readonly slug: string;
  readonly size: SizeName | undefined;
  readonly onSize: (size: SizeName) => void;
  readonly onStarted: (runId: string) => void;
  readonly onSchedule: (planId: string) => void;
}

export function RecipeDetail(props: RecipePageProps): ReactElement {
  const recipe = useQuery(recipeQuery(props.slug));
  if (recipe.isPending) return <CardsSkeleton />;
  if (!recipe.data) {
    const { code, detail } = toProblem(recipe.error);
    return (
      <FailureState
        what="The recipe could not be read"
        code={code}
        detail={detail}
        onRetry={() => recipe.refetch()}
      />
    );
  }
  return <Detail {...props} recipe={recipe.data} />;
}

/** What is asked, how it is measured, what differs from those who asked first, and what it takes. */
function Detail(props: RecipePageProps & { readonly recipe: Recipe }): ReactElement {
  const { recipe, onSize } = props;
  const size = firstSize(recipe, props.size);
  const aside = recipe.study && (
    <Badge variant="default" leftSection={<IconBook2 size={12} aria-hidden="true" />}>
      study
    </Badge>
  );
  return (
    <>
      <PageHeader
        title={recipe.title}
        aside={aside}
        actions={size && <RecipeActions {...props} size={size} />}
      />
      <Stack gap="md">
        <div>
          <Text size="lg" fw={550}>
            {recipe.question}
          </Text>
          <Text c="dimmed">{recipe.summary}</Text>
        </div>
        {size && (
          <Paper withBorder p="md" component="section" aria-label="What it takes">
            <SizeChoice recipe={recipe} size={size} onSize={onSize} />
            <RecipeFitness definition={size.definition} />
          </Paper>
        )}
        <About recipe={recipe} />
        {recipe.published.count > 0 && <PublishedFigures slug={recipe.slug} />}
        <PreviousRuns slug={recipe.slug} />
      </Stack>
    </>
  );
}

function About({ recipe }: { readonly recipe: Recipe }): ReactElement {
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: recipe.differences.length > 0 ? 6 : 12 }}>
        <Stack gap="md">
          <Part title="The method">
            <List size="sm" spacing={4}>
              {recipe.method.map((sentence) => (
                <List.Item key={sentence}>{sentence}</List.Item>
              ))}
            </List>
          </Part>
          {recipe.source && (
            <Part title="The source">
              <SourceLine source={recipe.source} />
              {recipe.published.count > 0 && (
                <Text size="xs" mt={4}>
                  {countNoun(recipe.published.count, 'figure')}, drawn below; {recipe.published.mapped} of
                  them are drawn under the curves of a run.
                </Text>
              )}
            </Part>
          )}
        </Stack>
      </Grid.Col>
      {recipe.differences.length > 0 && (
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Part title="What differs from the original">
            <Differences differences={recipe.differences} />
          </Part>
        </Grid.Col>
      )}
    </Grid>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactElement {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      {children}
    </Paper>
  );
}

function Differences({ differences }: Pick<Recipe, 'differences'>): ReactElement {
  return (
    <Table.ScrollContainer
      minWidth={0}
      type="native"
      tabIndex={0}
      role="region"
      aria-label="What differs, then and now"
    >
      <Table fz="sm" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th>Then</Table.Th>
            <Table.Th>Now</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differences.map(({ what, then, now }) => (
            <Table.Tr key={what}>
              <Table.Th scope="row">{what}</Table.Th>
              <Table.Td>{then}</Table.Td>
              <Table.Td>{now}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
