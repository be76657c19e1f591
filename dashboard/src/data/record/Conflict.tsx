import { Alert, Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useState, type JSX } from 'react';
import { brief, shown } from '../../words.ts';
import type { Difference } from './merge.ts';

export type Choice = 'mine' | 'theirs' | 'was';

interface Props {
  readonly differences: readonly Difference[];
  readonly decided: (choices: ReadonlyMap<string, Choice>) => void;
}

/** Asks for each field that two have changed differently which of the three values it is to have. */
export function Conflict({ differences, decided }: Props): JSX.Element {
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map());
  const choiceOf = (name: string): Choice => choices.get(name) ?? 'mine';
  return (
    <Alert
      color="orange"
      role="alert"
      title="Somebody else has changed this record meanwhile"
      className="asked"
    >
      <Stack gap={12}>
        <Text size="sm">
          What others changed elsewhere is taken over. Choose for{' '}
          {differences.length === 1 ? 'the field' : `the ${differences.length} fields`} that both of
          you changed:
        </Text>
        {differences.map(({ field: { name }, was, theirs, mine }) => (
          <Radio.Group
            key={name}
            label={name}
            value={choiceOf(name)}
            onChange={(next) => setChoices(new Map([...choices, [name, next]]))}
          >
            <Stack gap={4} mt={4}>
              <Radio size="xs" value="mine" label={<Choose text="Yours" value={mine} />} />
              <Radio size="xs" value="theirs" label={<Choose text="Theirs" value={theirs} />} />
              <Radio size="xs" value="was" label={<Choose text="As it was" value={was} />} />
            </Stack>
          </Radio.Group>
        ))}
        <Group gap={8}>
          <Button
            size="xs"
            onClick={() =>
              decided(new Map(differences.map(({ field: { name } }) => [name, choiceOf(name)])))
            }
          >
            Save with these
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function Choose({ text, value }: { readonly text: string; readonly value: unknown }): JSX.Element {
  return (
    <>
      <span className="quiet">{text}:</span> {brief(shown(value))}
    </>
  );
}
