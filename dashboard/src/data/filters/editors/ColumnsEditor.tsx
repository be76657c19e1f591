import { Button, Checkbox, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useState, type JSX } from 'react';
import type { Arrangement } from '../../grid/columns.ts';

export interface ColumnsProps {
  readonly names: readonly string[];
  /** What `fields` and `exclude` can name. */
  readonly offered: readonly string[];
  readonly arrangement: Arrangement;
  readonly arrange: (change: Partial<Arrangement>) => void;
  readonly fields: readonly string[];
  readonly exclude: readonly string[];
  readonly changed: (change: { fields?: readonly string[]; exclude?: readonly string[] }) => void;
}

/** So many columns are found without a search. */
const seenAtOnce = 12;

/** Chooses the columns that are shown, and the fields that are asked for. */
export function ColumnsEditor(props: ColumnsProps): JSX.Element {
  const { names, offered, arrangement, arrange, fields, exclude, changed } = props;
  const [search, setSearch] = useState('');
  const { hidden } = arrangement;
  const found = names.filter((name) => name.toLowerCase().includes(search.toLowerCase()));
  return (
    <Stack gap={10}>
      {names.length > seenAtOnce ? (
        <TextInput
          aria-label="Find a column"
          placeholder="Find a column"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      ) : null}
      <Stack gap={6} className="choices" role="group" aria-label="Shown columns">
        {found.map((name) => (
          <Checkbox
            key={name}
            size="xs"
            label={name}
            disabled={name === 'id'}
            checked={name === 'id' || !hidden.includes(name)}
            onChange={({ currentTarget }) =>
              arrange({
                hidden: currentTarget.checked
                  ? hidden.filter((one) => one !== name)
                  : [...hidden, name],
              })
            }
          />
        ))}
      </Stack>
      <Group gap={6}>
        <Button size="xs" variant="default" onClick={() => arrange({ hidden: [] })}>
          Show all
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => arrange({ hidden: [], widths: {}, pinned: [] })}
        >
          As at first
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        Hidden columns still come from the API. To ask for fewer fields:
      </Text>
      <TagsInput
        label="Fields"
        placeholder={fields.length === 0 ? 'All' : undefined}
        data={[...offered]}
        value={[...fields]}
        onChange={(next) => changed({ fields: next })}
        disabled={exclude.length > 0 && fields.length === 0}
        clearable
        clearButtonProps={{ 'aria-label': 'All fields' }}
      />
      <TagsInput
        label="Exclude"
        placeholder={exclude.length === 0 ? 'None' : undefined}
        data={[...offered]}
        value={[...exclude]}
        onChange={(next) => changed({ exclude: next })}
        disabled={fields.length > 0 && exclude.length === 0}
        clearable
        clearButtonProps={{ 'aria-label': 'Exclude nothing' }}
      />
    </Stack>
  );
}
