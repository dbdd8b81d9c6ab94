import { Select, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { StoreKind } from '@/api/targets';
import { PlacementFields } from './PlacementFields';
import { PromiseTable } from './PromiseTable';
import type { TargetFieldsProps } from './TargetDialog';

/** The profile with its meaning, and every option that may differ from it. */
export function ManagedFields(props: TargetFieldsProps): ReactElement {
  const { draft, kind, onChange, faultAt } = props;
  const profile = kind.profiles.find(({ name }) => name === draft.profile);
  return (
    <Stack gap="sm">
      <Select
        label="Profile"
        allowDeselect={false}
        data={kind.profiles.map(({ name, title }) => ({ value: name, label: title }))}
        value={draft.profile}
        description={profile?.meaning}
        error={faultAt('profile')}
        onChange={(name) => name && onChange({ profile: name })}
      />
      {profile && <PromiseTable promise={profile.equivalence} />}
      <PlacementFields {...props} />
      <Title order={3} size="h6">
        Options
      </Title>
      <Text size="xs" c="dimmed">
        What is left empty follows the profile.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {kind.options.map((option) => (
          <OptionField
            key={option.name}
            option={option}
            value={draft.options[option.name] ?? ''}
            ofProfile={profile?.options[option.name]}
            error={faultAt(`options.${option.name}`)}
            onChange={(value) => onChange({ options: { ...draft.options, [option.name]: value } })}
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

interface OptionFieldProps {
  readonly option: StoreKind['options'][number];
  readonly value: string;
  readonly ofProfile: string | undefined;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

function OptionField({ option, value, ofProfile, error, onChange }: OptionFieldProps): ReactElement {
  const shared = {
    label: option.title,
    description: option.meaning,
    placeholder: ofProfile === undefined ? "the store's own default" : `${ofProfile}, from the profile`,
    error,
  };
  if (option.values) {
    return (
      <Select
        {...shared}
        clearable
        data={[...option.values]}
        value={value || null}
        onChange={(next) => onChange(next ?? '')}
      />
    );
  }
  return <TextInput {...shared} value={value} onChange={(event) => onChange(event.currentTarget.value)} />;
}
