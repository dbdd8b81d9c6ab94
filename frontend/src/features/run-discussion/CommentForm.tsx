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

/** Markdown; Ctrl-Enter sends. What was typed stays until it is stored. */
export function CommentForm({
  label,
  button,
  initial = '',
  onSend,
  onCancel,
}: CommentFormProps): ReactElement {
  const [text, setText] = useState(initial);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  // The same for another try with the same text, whose first answer may have been lost on the way.
  const [sendId, setSendId] = useState(requestId);
  const send = async () => {
    if (text.trim() === '' || isBusy) return;
    setBusy(true);
    setFailure(null);
    try {
      await onSend(text, sendId);
      setText('');
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
  };
  const problem = failure ? toProblem(failure) : null;
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
        onChange={(event) => {
          setText(event.currentTarget.value);
          setSendId(requestId());
        }}
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
