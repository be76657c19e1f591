import { Button, Group, Select, Textarea, TextInput } from '@mantine/core';
import type { JSX, ReactNode } from 'react';
import type { ValueInfo } from '../../../../../src/http/dashboard/wire-model.ts';
import { absent, emptyText, isFree, nothing, takesEmptyText, type Draft } from '../draft.ts';
import { hintOf } from './hint.ts';
import { RecordPicker } from './RecordPicker.tsx';
import type { ValueProps } from './value-props.ts';

interface Props extends ValueProps {
  readonly error: string | undefined;
}

/** The input that fits a single value; null and an empty text are said by buttons beside it. */
export function ScalarInput(props: Props): JSX.Element {
  const { info, label, path, draft, isNew, model, error, changed } = props;
  const text = draft.kind === 'text' ? draft.text : '';
  const write = (next: string): void => {
    if (next !== '') changed({ kind: 'text', text: next });
    else if (isNew) changed(absent);
    else changed(info.isNullable && !isFree(info) ? nothing : emptyText);
  };
  const common = {
    label,
    description: hintOf(info),
    withAsterisk: info.isRequired,
    error,
    id: `field-${path}`,
    placeholder: placeholderOf(info, draft, isNew),
    inputContainer: (input: ReactNode) => <WithStates {...props} input={input} />,
  };
  const choices = info.type === 'boolean' ? ['true', 'false'] : info.values?.map(String);
  if (choices !== undefined)
    return (
      <Select
        {...common}
        // An empty one is said by its button.
        data={[...new Set(choices)].filter((choice) => choice !== '')}
        value={text === '' ? null : text}
        onChange={(next) => write(next ?? '')}
        searchable={choices.length > 8}
        clearable
        clearButtonProps={{ 'aria-label': `Clear ${path}` }}
      />
    );
  if (info.reference !== undefined)
    return (
      <RecordPicker
        {...common}
        model={model}
        reference={info.reference}
        value={text}
        changed={write}
        isNamed
      />
    );
  const isLong = isFree(info) || info.type === 'text' || text.includes('\n');
  if (isLong)
    return (
      <Textarea
        {...common}
        value={text}
        onChange={(event) => write(event.currentTarget.value)}
        {...(text.length > longest ? { rows: 12 } : { autosize: true, minRows: 2, maxRows: 12 })}
        {...(isFree(info) ? { classNames: { input: 'mono' }, spellCheck: false } : {})}
      />
    );
  return (
    <TextInput
      {...common}
      {...kinds[info.type]}
      value={text}
      onChange={(event) => write(event.currentTarget.value)}
      autoComplete="off"
    />
  );
}

/** Of a longer text it is known how many rows it fills, and to measure that takes seconds. */
const longest = 20_000;

/** Dates and times have the pickers of the browser; numbers are text, so that nothing of them is lost. */
const kinds: Readonly<
  Record<
    string,
    { type?: string; step?: string; inputMode?: 'numeric' | 'decimal' | 'email' | 'url' }
  >
> = {
  date: { type: 'date' },
  time: { type: 'time', step: '1' },
  datetime: { type: 'datetime-local', step: '0.001' },
  integer: { inputMode: 'numeric' },
  number: { inputMode: 'decimal' },
  decimal: { inputMode: 'decimal' },
  email: { inputMode: 'email' },
  url: { inputMode: 'url' },
};

function placeholderOf(info: ValueInfo, draft: Draft, isNew: boolean): string {
  if (draft.kind === 'null') return 'null';
  if (draft.kind === 'text') return takesEmptyText(info) ? 'Empty text' : '';
  if (!isNew) return 'Unchanged';
  return info.default === null || info.default === undefined
    ? 'Not sent'
    : `Not sent: ${JSON.stringify(info.default)}`;
}

function WithStates({
  info,
  path,
  draft,
  changed,
  input,
}: Props & { input: ReactNode }): JSX.Element {
  const states = [
    ...(takesEmptyText(info)
      ? [{ name: 'empty', state: emptyText, isOn: draft.kind === 'text' && draft.text === '' }]
      : []),
    ...(info.isNullable && !isFree(info)
      ? [{ name: 'null', state: nothing, isOn: draft.kind === 'null' }]
      : []),
  ];
  if (states.length === 0) return <>{input}</>;
  return (
    <Group gap={6} wrap="nowrap" align="start">
      <div style={{ flex: 1, minWidth: 0 }}>{input}</div>
      {states.map(({ name, state, isOn }) => (
        <Button
          key={name}
          variant={isOn ? 'light' : 'subtle'}
          color={isOn ? undefined : 'gray'}
          c={isOn ? undefined : 'dimmed'}
          size="sm"
          px={8}
          // As far below the hint as the input is.
          mt={5}
          fz={12}
          fw={isOn ? 500 : 400}
          aria-pressed={isOn}
          aria-label={`${name} for ${path}`}
          onClick={() => changed(isOn ? absent : state)}
        >
          {name}
        </Button>
      ))}
    </Group>
  );
}
