import { Button, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import { type AlertDetail, commentAlert } from '@/api/alerts';
import { FailureState } from '@/components/FailureState';
import { Markdown } from '@/components/Markdown';
import { RelativeTime } from '@/components/RelativeTime';
import { toProblem } from '@/lib/problem';

/** Everything that happened to it, comments among it. */
export function AlertHistory({ alert }: { readonly alert: AlertDetail }): ReactElement {
  return (
    <section aria-labelledby="alert-history">
      <Title order={3} size="h5" mb={6} id="alert-history">
        History
      </Title>
      <Stack gap="xs" component="ol" className="plain-list">
        {alert.history.map(({ id, kind, text, author, created_at }) => (
          <li key={id}>
            <Text size="xs" c="dimmed">
              {author?.name ?? 'Loadstone'} · <RelativeTime at={created_at} />
            </Text>
            {kind === 'comment' ? <Markdown text={text} /> : <Text size="sm">{text}</Text>}
          </li>
        ))}
      </Stack>
      <CommentForm alertId={alert.id} />
    </section>
  );
}

function CommentForm({ alertId }: { readonly alertId: string }): ReactElement {
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const comment = useMutation({
    mutationFn: () => commentAlert(alertId, text),
    onSuccess: () => {
      setText('');
      return queries.invalidateQueries({ queryKey: ['alerts'] });
    },
  });
  const problem = comment.error ? toProblem(comment.error) : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    comment.mutate();
  };
  return (
    <Stack component="form" gap="xs" mt="sm" onSubmit={submit}>
      {problem && <FailureState what={problem.title} code={problem.code} detail={problem.detail} />}
      <Textarea
        label="Comment (Markdown)"
        autosize
        minRows={2}
        maxRows={8}
        maxLength={10_000}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Group justify="flex-end">
        <Button type="submit" size="xs" disabled={text.trim() === ''} loading={comment.isPending}>
          Comment
        </Button>
      </Group>
    </Stack>
  );
}
