import { Button, List, Paper, Stack, Text, Title } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useRef } from 'react';
import { agentsQuery } from '@/api/agents';
import { firstSize, type RecipeItem, recipesQuery } from '@/api/recipes';
import { submitRun } from '@/api/runs';
import { FailureState } from '@/components/FailureState';
import { TextLink } from '@/components/links';
import { formatDuration } from '@/lib/format';
import { toProblem } from '@/lib/problem';
import { requestId } from '@/lib/request-id';

const FIRST_RECIPE = 'memcached-vs-redis';

function useFirstRun(recipe: RecipeItem | undefined) {
  const navigate = useNavigate();
  const pressId = useRef(requestId());
  return useMutation({
    mutationFn: async () => {
      const size = recipe && firstSize(recipe)?.size;
      if (!size) throw new Error(`The recipe ${FIRST_RECIPE} is not there.`);
      return submitRun({ recipe: { slug: FIRST_RECIPE, size }, priority: 0 }, pressId.current);
    },
    onSuccess: (run) => navigate({ to: '/runs/$runId', params: { runId: run.id } }),
    onError: () => {
      pressId.current = requestId();
    },
  });
}

/** The whole of Home while nothing has ever run. */
export function FirstMeasurement(): ReactElement {
  const recipes = useQuery(recipesQuery);
  const recipe = recipes.data?.items.find(({ slug }) => slug === FIRST_RECIPE);
  const start = useFirstRun(recipe);
  const problem = start.error ? toProblem(start.error) : null;
  return (
    <Paper withBorder p="xl" maw={720} mx="auto" mt="xl">
      <Stack>
        <Title order={2} size="h3">
          Measure this machine in 60 seconds
        </Title>
        <Text>
          Starts memcached and Redis on this machine, sends them the same requests over more and more
          connections, and draws throughput and response time as it goes.
        </Text>
        {recipe && <RecipeFacts recipe={recipe} />}
        {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
        <AgentHint />
        <Button
          size="md"
          leftSection={<IconBolt size={18} aria-hidden="true" />}
          loading={start.isPending}
          disabled={!recipe}
          onClick={() => start.mutate()}
        >
          Measure this machine
        </Button>
        <TextLink to="/runs/new" search={{ recipe: FIRST_RECIPE }} size="sm" ta="center">
          See and change the plan first
        </TextLink>
      </Stack>
    </Paper>
  );
}

function RecipeFacts({ recipe }: { readonly recipe: RecipeItem }): ReactElement {
  return (
    <List size="sm">
      <List.Item>{recipe.summary}</List.Item>
      <List.Item>
        Takes about {formatDuration(firstSize(recipe)?.estimated_s)}; you can watch, leave or cancel.
      </List.Item>
    </List>
  );
}

function AgentHint(): ReactElement | null {
  const agents = useQuery(agentsQuery);
  if (agents.data?.items.length !== 0) return null;
  return (
    <Text size="sm">
      No agent is enrolled yet: <TextLink to="/agents">enroll this machine</TextLink> first.
    </Text>
  );
}
