import {
  Button,
  Fieldset,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import type { JSX } from 'react';
import type { Model, ResourceInfo } from '../../../src/http/dashboard-wire-model.ts';
import { useEdited } from '../edited.ts';
import { RemoveButton } from './ListButtons.tsx';
import { operatorsOf, type Condition, type ListQuery } from './query.ts';

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
            data={resource.sorts.flatMap((path) => [
              { value: path, label: `${path} ↑` },
              { value: `-${path}`, label: `${path} ↓` },
            ])}
            value={known(query.sort, resource.sorts)}
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

/** What the select has an option for; the rest of the order stays in the URL field. */
function known(sort: readonly string[], paths: readonly string[]): string[] {
  return sort.filter((item) => paths.includes(item.replace(/^-/u, '')));
}

interface RowProps {
  readonly condition: Condition;
  readonly model: Model;
  readonly resource: ResourceInfo;
  readonly number: number;
  readonly changed: (next: Condition | undefined) => void;
}

function ConditionRow({ condition, model, resource, number, changed }: RowProps): JSX.Element {
  const { path, operator, value } = condition;
  const [text, setText] = useEdited(value, `${path} ${value}`);
  const { operators: fit, type, values } = operatorsOf(path, resource);
  const { operand, meaning } = model.operators.find(({ name }) => name === operator) ?? {
    operand: 'value',
    meaning: operator,
  };
  const choices =
    operand === 'flag' || (operand === 'value' && type === 'boolean')
      ? ['true', 'false']
      : operand === 'value' && values !== null
        ? values.map(String)
        : undefined;
  const commit = (): void => {
    if (text !== value) changed({ ...condition, value: text });
  };
  return (
    <Group className="condition" gap="xs">
      <Select
        aria-label={`Field of filter ${number}`}
        data={groupsOf(resource)}
        value={path}
        onChange={(next) => {
          if (next === null) return;
          const takes = operatorsOf(next, resource).operators;
          changed({
            path: next,
            operator: takes.includes(operator) ? operator : (takes[0] ?? 'eq'),
            value: '',
          });
        }}
        searchable
        allowDeselect={false}
        style={{ flex: 1 }}
      />
      <Select
        aria-label={`Operator of filter ${number}`}
        data={fit.map((name) => ({
          value: name,
          label: model.operators.find((one) => one.name === name)?.meaning ?? name,
        }))}
        value={operator}
        onChange={(next) => changed({ ...condition, operator: next ?? operator })}
        allowDeselect={false}
        style={{ flex: 1 }}
      />
      {choices === undefined ? (
        <TextInput
          aria-label={`Value of filter ${number}`}
          placeholder={operand === 'list' ? 'several, with commas' : `${meaning}…`}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit();
          }}
          style={{ flex: 1 }}
        />
      ) : (
        <Select
          aria-label={`Value of filter ${number}`}
          data={choices}
          value={choices.includes(value) ? value : null}
          placeholder="Choose"
          onChange={(next) => changed({ ...condition, value: next ?? '' })}
          allowDeselect={false}
          style={{ flex: 1 }}
        />
      )}
      <RemoveButton label={`Remove filter ${number}`} run={() => changed(undefined)} />
    </Group>
  );
}

function groupsOf({ filters }: ResourceInfo): { group: string; items: string[] }[] {
  const named = [
    ['field', 'Fields'],
    ['member', 'Members of objects'],
    ['relation', 'Relations'],
    ['related', 'Fields of related records'],
  ] as const;
  return named.flatMap(([kind, group]) => {
    const items = filters.filter((filter) => filter.kind === kind).map(({ path }) => path);
    return items.length === 0 ? [] : [{ group, items }];
  });
}
