import { NativeSelect, TextInput } from '@mantine/core';
import type { JSX } from 'react';
import type { Parameter, Schema } from '../document.ts';
import { Prose } from '../Prose.tsx';
import { keyOf } from './request.ts';
import { limitsText, typeText } from './schema-words.ts';

interface Props {
  readonly parameters: readonly Parameter[];
  readonly values: Readonly<Record<string, string>>;
  readonly changed: (parameter: Parameter, value: string) => void;
}

/** Parameters, each with its meaning and an input. An empty one is not sent. */
export function ParameterList({ parameters, values, changed }: Props): JSX.Element {
  return (
    <ul className="parameters">
      {parameters.map((one) => {
        const { name, schema = {}, required, description = '' } = one;
        const limits = limitsText({ ...schema, enum: undefined });
        return (
          <li key={keyOf(one)}>
            <div className="parameter-text">
              <code className="member-name">{name}</code>
              <span className="type">
                {typeText(schema)}
                {limits === '' ? '' : `, ${limits}`}
              </span>
              {required ? <span className="needed">required</span> : null}
              <p className="member-text">
                <Prose text={description} />
              </p>
            </div>
            <ValueInput
              label={name}
              schema={schema}
              value={values[keyOf(one)] ?? ''}
              changed={(value) => changed(one, value)}
            />
          </li>
        );
      })}
    </ul>
  );
}

interface InputProps {
  readonly label: string;
  readonly schema: Schema;
  readonly value: string;
  readonly changed: (value: string) => void;
}

/** An input for a value in a URL or a header: a choice if there are few values. */
export function ValueInput({ label, schema, value, changed }: InputProps): JSX.Element {
  const values = schema.type === 'boolean' ? ['true', 'false'] : schema.enum?.map(String);
  if (values !== undefined)
    return (
      <NativeSelect
        size="xs"
        aria-label={label}
        data={['', ...values]}
        value={value}
        onChange={({ currentTarget }) => changed(currentTarget.value)}
      />
    );
  return (
    <TextInput
      size="xs"
      aria-label={label}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={({ currentTarget }) => changed(currentTarget.value)}
    />
  );
}
