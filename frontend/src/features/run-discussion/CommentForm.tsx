import { Button, Group, Stack, Textarea } from '@mantine/core';
import { type FormEvent, type KeyboardEvent, type ReactElement, useState } from 'react';
import { FailureState } from '@/components/FailureState';
import { toProblem } from '@/lib/problem';
import { requestId } from '@/lib/request-id';

interface CommentFormProps {
  readonly label: string;
  readonly button: string;
  readonly initial?: string;
  /** Rejects with what went wrong; the text is kept then. */
  readonly onSend: (text: string, requestId: string) => Promise<unknown>;
  readonly onCancel?: () => void;
}

const LENGTH_MAX = 10_000;

/** What is typed, kept until it is stored. */
function useSending(initial: string, onSend: CommentFormProps['onSend']) {
  const [text, setText] = useState(initial);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  // The same for another try with the same text, whose first answer may have been lost on the way.
  const [sendId, setSendId] = useState(requestId);
  const type = (next: string) => {
    setText(next);
    setSendId(requestId());
  };
  const send = async () => {
    if (text.trim() === '' || isBusy) return;
    setBusy(true);
    setFailure(null);
    try {
      await onSend(text, sendId);
      type('');
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return { text, type, send, isBusy, problem: failure ? toProblem(failure) : null };
}

/** Markdown; Ctrl-Enter sends. */
export function CommentForm({
  label,
  button,
  initial = '',
  onSend,
  onCancel,
}: CommentFormProps): ReactElement {
  const { text, type, send, isBusy, problem } = useSending(initial, onSend);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
  };
  return (
    <Stack component="form" gap="xs" onSubmit={submit}>
      <Textarea
        aria-label={label}
        placeholder={`${label}. Markdown; Ctrl-Enter sends.`}
        autosize
        minRows={2}
        maxRows={14}
        maxLength={LENGTH_MAX}
        value={text}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      {problem && (
        <FailureState what="The comment could not be stored" code={problem.code} detail={problem.detail} />
      )}
      <Group gap="xs" justify="flex-end">
        {onCancel && (
          <Button size="xs" variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button size="xs" type="submit" loading={isBusy} disabled={text.trim() === ''}>
          {button}
        </Button>
      </Group>
    </Stack>
  );
}
