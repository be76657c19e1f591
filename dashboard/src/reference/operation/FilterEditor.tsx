import { ActionIcon, Autocomplete, Button, NativeSelect } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useRef, type JSX } from 'react';
import type { Family, FilterOperator, Filters } from './families.ts';
import { ValueInput } from './ParameterList.tsx';
import { emptyFilter, type FilledFilter } from './request.ts';
import { limitsText, typeText } from './schema-words.ts';

interface Props {
  readonly filters: Filters;
  readonly filled: readonly FilledFilter[];
  readonly changed: (filled: readonly FilledFilter[]) => void;
}

/** Paths behind a relation take the operators of their fields, which the document does not repeat. */
const equality: readonly FilterOperator[] = [{ suffix: '', meaning: 'equals' }];

/** Conditions of a field, an operator in words and a value; and below, what each field can be asked. */
export function FilterEditor({ filters, filled, changed }: Props): JSX.Element {
  const { families, morePaths, byName, isRequired } = filters;
  const rows = useRef<HTMLDivElement>(null);
  const familyOf = (path: string) => families.find((one) => one.path === path);
  const change = (at: number, next: Partial<FilledFilter>): void =>
    changed(filled.map((one, index) => (index === at ? { ...one, ...next } : one)));
  const focusRow = (at: number): void => {
    // After the rows are drawn.
    setTimeout(() => {
      const inputs = rows.current?.querySelectorAll<HTMLElement>('input[aria-label^="Field"]');
      inputs?.[Math.min(at, inputs.length - 1)]?.focus();
    });
  };
  return (
    <>
      <p className="part-text">
        {isRequired
          ? 'They choose the records that are changed: at least one is needed.'
          : families.length === 0
            ? 'They leave out items of the collections that expand names.'
            : 'Records that fit all of them are kept. Only those with a value are sent.'}
      </p>
      <div className="filter-rows" ref={rows}>
        {filled.map(({ path, suffix, value }, at) => {
          const family = familyOf(path);
          const schema = byName[path + suffix] ?? family?.schema ?? {};
          const count = at + 1;
          const isAlone = filled.length === 1;
          return (
            <div className="filter-row" key={at}>
              <Autocomplete
                size="xs"
                aria-label={`Field ${count}`}
                placeholder="Field"
                data={[...families.map((one) => one.path), ...morePaths]}
                limit={50}
                value={path}
                onChange={(next) =>
                  change(at, { path: next, suffix: familyOf(next)?.operators[0]?.suffix ?? '' })
                }
              />
              <NativeSelect
                size="xs"
                aria-label={`Operator ${count}`}
                disabled={path === ''}
                data={(family?.operators ?? equality).map((one) => ({
                  value: one.suffix,
                  label: one.meaning,
                }))}
                value={suffix}
                onChange={({ currentTarget }) => change(at, { suffix: currentTarget.value })}
              />
              <div className="filter-value">
                <ValueInput
                  label={`Value ${count}`}
                  schema={schema}
                  value={value}
                  changed={(next) => change(at, { value: next })}
                />
              </div>
              {isAlone && path === '' && value === '' ? null : (
                <ActionIcon
                  size={28}
                  aria-label={`Remove filter ${count}`}
                  onClick={() => {
                    const rest = filled.filter((_, index) => index !== at);
                    changed(rest.length === 0 ? [emptyFilter] : rest);
                    focusRow(at);
                  }}
                >
                  <X size={14} aria-hidden />
                </ActionIcon>
              )}
            </div>
          );
        })}
        <Button
          size="compact-xs"
          variant="subtle"
          className="add-filter"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => {
            changed([...filled, emptyFilter]);
            focusRow(filled.length);
          }}
        >
          Add a filter
        </Button>
      </div>
      {families.length === 0 ? null : (
        <ul className="parameters families">
          {groupsOf(families).map(([first, ...others]) => (
            <li key={first.path}>
              <div className="parameter-text">
                <p className="names">
                  {[first, ...others].map(({ path, schema, operators }) => (
                    <span key={path}>
                      <code className="member-name">{path}</code>
                      <span className="type">
                        {operators[0]?.suffix === '_exists' ? 'relation' : typeText(schema)}
                        {schema.enum === undefined ? '' : `: ${limitsText({ enum: schema.enum })}`}
                      </span>
                    </span>
                  ))}
                </p>
                <p className="operators">
                  {first.operators.map(({ suffix, meaning }) => (
                    <span key={suffix} title={first.path + suffix}>
                      {meaning}
                    </span>
                  ))}
                </p>
              </div>
              <code className="example">{first.example}</code>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

type Group = readonly [Family, ...Family[]];

/** Families with the same operators, which are told once. */
function groupsOf(families: readonly Family[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const family of families) {
    const key = family.operators.map(({ suffix }) => suffix).join();
    const [first, ...others] = groups.get(key) ?? [family];
    groups.set(key, first === family ? [family] : [first, ...others, family]);
  }
  return [...groups.values()];
}
