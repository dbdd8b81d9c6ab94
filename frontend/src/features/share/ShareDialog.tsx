import { Button, Divider, Group, PasswordInput, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import { type CreatedShare, type CreateShare, createShare } from '@/api/shares';
import { CopyRow } from '@/components/CopyRow';
import { FailureState } from '@/components/FailureState';
import { Secret } from '@/components/Secret';
import { toProblem } from '@/lib/problem';
import { LinkList } from './LinkList';
import { snippets } from './snippets';

export interface ShareSubject {
  readonly kind: CreateShare['kind'];
  readonly subject: CreateShare['subject'];
  /** Of what was saved under one; links to anything else are found by their kind. */
  readonly subjectId?: string;
  readonly title: string;
  /** The page's search parameters: the link opens exactly so. */
  readonly view: Readonly<Record<string, unknown>>;
}

const DAY_MS = 24 * 3600 * 1000;
const LIVES = [
  { value: '1', label: 'in a day' },
  { value: '7', label: 'in a week' },
  { value: '30', label: 'in 30 days' },
  { value: '365', label: 'in a year' },
  { value: 'never', label: 'never' },
];

export function ShareDialog(props: ShareSubject): ReactElement {
  const [made, setMade] = useState<CreatedShare | null>(null);
  return (
    <Stack>
      {made ? (
        <MadeLink made={made} onAnother={() => setMade(null)} />
      ) : (
        <LinkForm {...props} onMade={setMade} />
      )}
      <Divider />
      <LinkList kind={props.kind} subject={props.subject} subjectId={props.subjectId} />
    </Stack>
  );
}

interface LinkFormProps extends ShareSubject {
  readonly onMade: (made: CreatedShare) => void;
}

function LinkForm({ kind, subject, title: named, view, onMade }: LinkFormProps): ReactElement {
  const [terms, setTerms] = useState<Terms>({ title: named, life: '30', password: '' });
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: () => createShare(bodyOf({ kind, subject, view }, terms)),
    onSuccess: (made) => {
      onMade(made);
      void queries.invalidateQueries({ queryKey: ['shares'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  const problem = create.error ? toProblem(create.error) : null;
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Whoever has the link sees this {NOUNS[kind]} as you see it now, without an account, and nothing
          else. People's names and the addresses of targets are left out.
        </Text>
        <TermFields terms={terms} onTerms={(patch) => setTerms({ ...terms, ...patch })} />
        {problem && (
          <FailureState what="The link could not be made" code={problem.code} detail={problem.detail} />
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending}>
            Make the link
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface Terms {
  readonly title: string;
  /** Days, or `never`. */
  readonly life: string;
  readonly password: string;
}

interface TermFieldsProps {
  readonly terms: Terms;
  readonly onTerms: (patch: Partial<Terms>) => void;
}

function TermFields({ terms, onTerms }: TermFieldsProps): ReactElement {
  return (
    <>
      <TextInput
        label="Title"
        value={terms.title}
        maxLength={200}
        required
        data-autofocus
        onChange={(event) => onTerms({ title: event.currentTarget.value })}
      />
      <div className="link-terms">
        <Select
          label="Ends"
          data={LIVES}
          value={terms.life}
          allowDeselect={false}
          onChange={(life) => onTerms({ life: life ?? '30' })}
        />
        <PasswordInput
          label="Password (optional)"
          description="At least 8 characters; no pictures or badge then"
          autoComplete="new-password"
          minLength={8}
          maxLength={200}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={terms.password}
          onChange={(event) => onTerms({ password: event.currentTarget.value })}
        />
      </div>
    </>
  );
}

const NOUNS: Record<CreateShare['kind'], string> = {
  run: 'run',
  comparison: 'comparison',
  trend: 'trend',
  dashboard: 'dashboard',
};

type Shown = Pick<ShareSubject, 'kind' | 'subject' | 'view'>;

function bodyOf(shown: Shown, { title, life, password }: Terms): CreateShare {
  const expires_at = life === 'never' ? null : new Date(Date.now() + Number(life) * DAY_MS).toISOString();
  return { ...shown, title, expires_at, password: password || null } as CreateShare;
}

function MadeLink({
  made,
  onAnother,
}: {
  readonly made: CreatedShare;
  readonly onAnother: () => void;
}): ReactElement {
  return (
    <Stack gap="sm">
      <Secret title="The link" value={made.url}>
        It is shown this once; make another if it is lost.
      </Secret>
      <Title order={3} size="h6">
        Show it elsewhere
      </Title>
      {snippets(made).map(({ label, value }) => (
        <CopyRow key={label} label={label} value={value} />
      ))}
      {made.has_password && (
        <Text size="xs" c="dimmed">
          A frame on another site cannot ask for the password in every browser; open the link itself there.
        </Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" size="xs" onClick={onAnother}>
          Make another
        </Button>
      </Group>
    </Stack>
  );
}
