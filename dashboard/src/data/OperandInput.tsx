import { MultiSelect, Select, TextInput } from '@mantine/core';
import type { JSX } from 'react';
import { useEdited } from '../edited.ts';

interface Props {
  readonly label: string;
  /** What stands in it while it is empty. */
  readonly hint: string;
  /** The values that there are, where they are known. */
  readonly choices: readonly string[] | undefined;
  /** Whether it is several values, with commas. */
  readonly isList: boolean;
  /** What the value is asked of. */
  readonly path: string;
  readonly value: string;
  readonly changed: (value: string) => void;
}

/** The value of a condition: one or several of those that there are, or a text, which counts once it is finished. */
export function OperandInput(props: Props): JSX.Element {
  const { label, hint, choices, isList, path, value, changed } = props;
  const [text, setText] = useEdited(value, `${path} ${value}`);
  const commit = (): void => {
    if (text !== value) changed(text);
  };
  const common = { 'aria-label': label, style: { flex: 1 } };
  const chosen = value === '' ? [] : value.split(',');
  // What the URL says otherwise (a value in quotes, one that there is not) stays as it is written there.
  const isChoice =
    choices !== undefined &&
    choices.every((choice) => /^[^\s",]+$/u.test(choice)) &&
    chosen.every((item) => choices.includes(item));
  if (choices !== undefined && !isList)
    return (
      <Select
        {...common}
        data={[...choices]}
        value={choices.includes(value) ? value : null}
        placeholder="Choose"
        onChange={(next) => changed(next ?? '')}
        allowDeselect={false}
      />
    );
  if (isChoice)
    return (
      <MultiSelect
        {...common}
        data={[...choices]}
        value={[...new Set(chosen)]}
        placeholder={chosen.length === 0 ? 'Choose' : undefined}
        onChange={(next) => changed(next.join(','))}
        searchable
      />
    );
  return (
    <TextInput
      {...common}
      placeholder={hint}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
}
