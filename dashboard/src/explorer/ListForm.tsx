import {
  Button,
  Fieldset,
  Group,
  MultiSelect,
  NumberInput,
  Stack,
  TagsInput,
  Text,
} from '@mantine/core';
import type { JSX } from 'react';
import type { Model, ResourceInfo } from '../../../src/http/dashboard-wire-model.ts';
import { ConditionRow } from './ConditionRow.tsx';
import type { Condition, ListQuery } from './query.ts';

interface Props {
  readonly resource: ResourceInfo;
  readonly model: Model;
  readonly query: ListQuery;
  readonly changed: (query: ListQuery) => void;
}

/** Filters, order, fields, expansions and size of a list, with what the model allows. A change goes to the URL. */
export function ListForm({ resource, model, query, changed }: Props): JSX.Element {
  const { conditions } = query;
  /** Another question begins at its first page again. */
  const ask = (change: Partial<ListQuery>): void =>
    changed({
      ...query,
      page: undefined,
      others: query.others.filter(([name]) => name !== 'cursor'),
      ...change,
    });
  const replaced = (index: number, next: Condition | undefined): readonly Condition[] =>
    conditions.flatMap((one, place) => (place === index ? (next ?? []) : [one]));
  const [first] = resource.filters;
  const fields = resource.fields.filter(({ isReadable }) => isReadable).map(({ name }) => name);
  const relations = resource.relations.map(({ name }) => name);
  const groups = Object.keys(resource.groups).map((name) => `@${name}`);
  return (
    <Fieldset legend="List">
      <Stack gap="xs">
        {conditions.map((condition, index) => (
          <ConditionRow
            // oxlint-disable-next-line react/no-array-index-key -- conditions have no other identity
            key={index}
            condition={condition}
            model={model}
            resource={resource}
            number={index + 1}
            changed={(next) => ask({ conditions: replaced(index, next) })}
          />
        ))}
        {query.others.length === 0 ? null : (
          <Text size="sm" className="quiet">
            Only in the URL: {query.others.map(([name]) => name).join(', ')}
          </Text>
        )}
        <Group>
          <Button
            size="xs"
            variant="default"
            disabled={first === undefined}
            onClick={() => {
              if (first === undefined) return;
              const operator = first.operators[0] ?? 'eq';
              ask({ conditions: [...conditions, { path: first.path, operator, value: '' }] });
            }}
          >
            Add filter
          </Button>
        </Group>
        <Group align="start" grow preventGrowOverflow={false}>
          <MultiSelect
            label="Sort"
            placeholder={query.sort.length === 0 ? 'By id' : undefined}
            data={sortsOf(resource, query.sort)}
            value={[...new Set(query.sort)]}
            onChange={(sort) => ask({ sort })}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': 'No order' }}
          />
          <Names
            label="Fields"
            none="All"
            clear="All fields"
            data={[...new Set([...groups, ...fields, ...relations])]}
            value={query.fields}
            changed={(next) => ask({ fields: next })}
          />
          <Names
            label="Expand"
            none="None"
            clear="Expand nothing"
            data={relations}
            value={query.expand}
            changed={(next) => ask({ expand: next })}
          />
          <NumberInput
            label="Limit"
            placeholder={String(model.limits.defaultLimit)}
            min={1}
            max={model.limits.maxLimit}
            allowDecimal={false}
            value={query.limit ?? ''}
            onChange={(limit) => ask({ limit: typeof limit === 'number' ? limit : undefined })}
            w={110}
          />
        </Group>
      </Stack>
    </Fieldset>
  );
}

interface NamesProps {
  readonly label: string;
  /** What it means that there are no names. */
  readonly none: string;
  /** What the button does that takes all of them away. */
  readonly clear: string;
  /** Those that are offered; others may be written. */
  readonly data: string[];
  readonly value: readonly string[];
  readonly changed: (names: readonly string[]) => void;
}

function Names({ label, none, clear, data, value, changed }: NamesProps): JSX.Element {
  return (
    <TagsInput
      label={label}
      placeholder={value.length === 0 ? none : undefined}
      data={data}
      value={[...value]}
      onChange={changed}
      clearable
      clearButtonProps={{ 'aria-label': clear }}
    />
  );
}

/** What the records can be sorted by here, and what the URL asks for beside it. */
function sortsOf(
  { sorts }: ResourceInfo,
  asked: readonly string[],
): { value: string; label: string }[] {
  const names = new Set([...sorts, ...asked.map((item) => item.replace(/^-/u, ''))]);
  return [...names].flatMap((path) => [
    { value: path, label: `${path} ↑` },
    { value: `-${path}`, label: `${path} ↓` },
  ]);
}
