import { Select, Textarea, TextInput } from '@mantine/core';
import type { JSX } from 'react';
import type { FieldInfo } from '../model.ts';
import { isStructured } from './form.ts';

interface Props {
  readonly field: FieldInfo;
  readonly text: string;
  readonly error: string | undefined;
  readonly changed: (text: string) => void;
}

/** The input that fits the type of a field. */
export function FieldInput({ field, text, error, changed }: Props): JSX.Element {
  const common = {
    label: field.name,
    description: hintOf(field),
    withAsterisk: field.isRequired && !field.isNullable,
    error,
    name: field.name,
  };
  const choices = field.type === 'boolean' ? ['true', 'false'] : field.values?.map(String);
  if (choices !== undefined && !isStructured(field))
    return (
      <Select
        {...common}
        data={[...choices]}
        value={text === '' ? null : text}
        placeholder={field.isNullable && field.default === null ? 'null' : 'Not set'}
        onChange={(next) => changed(next ?? '')}
        clearable
        clearButtonProps={{ 'aria-label': `Clear ${field.name}` }}
      />
    );
  const isLong = isStructured(field) || field.type === 'text';
  if (isLong)
    return (
      <Textarea
        {...common}
        value={text}
        onChange={(event) => changed(event.currentTarget.value)}
        autosize
        minRows={2}
        maxRows={12}
        {...(isStructured(field)
          ? { styles: { input: { fontFamily: 'ui-monospace, monospace' } }, spellCheck: false }
          : {})}
      />
    );
  return (
    <TextInput
      {...common}
      type={field.type === 'date' ? 'date' : 'text'}
      inputMode={inputModes[field.type]}
      value={text}
      onChange={(event) => changed(event.currentTarget.value)}
      autoComplete="off"
    />
  );
}

const inputModes: Readonly<Record<string, 'numeric' | 'decimal' | 'email' | 'url'>> = {
  integer: 'numeric',
  number: 'decimal',
  decimal: 'decimal',
  email: 'email',
  url: 'url',
};

/** What a field takes, in a line. */
function hintOf(field: FieldInfo): string {
  const { type, constraints, isUnique, isNullable, reference, description } = field;
  const { format, ...rest } = constraints;
  const limits = Object.entries(rest).map(([name, value]) => `${name} ${String(value)}`);
  const parts = [
    format === undefined ? type : `${type} (${String(format)})`,
    ...limits,
    ...(isUnique ? ['unique'] : []),
    ...(isNullable ? ['may be null'] : []),
    ...(reference === undefined ? [] : [`a record of ${reference.resource}`]),
    ...(field.default === null ? [] : [`default ${JSON.stringify(field.default)}`]),
  ];
  const line = parts.join(', ');
  return description === null ? line : `${description} ${line}`;
}
