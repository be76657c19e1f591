import { Fieldset, Group, Select, Stack, TagsInput, Text } from '@mantine/core';
import type { JSX } from 'react';
import type { Model, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { AddCondition, Alternatives, ConditionList } from './ConditionList.tsx';
import { collectionsIn, expandable } from './expansion.ts';
import { CountInput, SortInput } from './OrderInputs.tsx';
import { joined } from './paths.ts';
import { noOrder, type ListQuery, type Order } from './query.ts';

interface Props {
  readonly resource: ResourceInfo;
  readonly model: Model;
  readonly query: ListQuery;
  readonly changed: (query: ListQuery) => void;
}

/** Filters, order, fields, expansions and size of a list, with what the model allows. A change goes to the URL. */
export function ListForm({ resource, model, query, changed }: Props): JSX.Element {
  const { conditions, groups } = query;
  /** Another question begins at its first page again. */
  const ask = (change: Partial<ListQuery>): void =>
    changed({
      ...query,
      page: undefined,
      others: query.others.filter(([name]) => name !== 'cursor'),
      ...change,
    });
  const shared = { resource, model };
  const first = resource.filters[0]?.path;
  const fields = resource.fields.filter(({ isReadable }) => isReadable).map(({ name }) => name);
  const relations = resource.relations.map(({ name }) => name);
  const named = Object.keys(resource.groups).map((name) => `@${name}`);
  const shown = [...new Set([...named, ...fields, ...relations])];
  const collections = collectionsIn(query.expand, resource, model);
  return (
    <Fieldset legend="List">
      <Stack gap="xs">
        <ConditionList
          {...shared}
          conditions={conditions}
          collections={collections}
          called={(number) => `filter ${number}`}
          changed={(next) => ask({ conditions: next })}
        />
        <Alternatives {...shared} groups={groups} changed={(next) => ask({ groups: next })} />
        {query.others.length === 0 ? null : (
          <Text size="sm" className="quiet">
            Only in the URL: {query.others.map(([name]) => name).join(', ')}
          </Text>
        )}
        <Group gap="xs">
          <AddCondition
            {...shared}
            text="Add filter"
            path={first}
            added={(next) => ask({ conditions: [...conditions, next] })}
          />
          <AddCondition
            {...shared}
            text="Add alternatives"
            path={first}
            added={(next) => ask({ groups: [...groups, [next]] })}
          />
        </Group>
        <Group align="start" grow preventGrowOverflow={false}>
          <SortInput
            label="Sort"
            sorts={resource.sorts}
            value={query.sort}
            changed={(sort) => ask({ sort })}
          />
          <Select
            label="Nulls"
            placeholder="Lowest"
            data={['first', 'last']}
            value={query.nulls ?? null}
            onChange={(nulls) => ask({ nulls: nulls ?? undefined })}
            clearable
            clearButtonProps={{ 'aria-label': 'Nulls as the lowest' }}
            w={110}
          />
          <Names
            label="Fields"
            none="All"
            clear="All fields"
            data={shown}
            value={query.fields}
            isClosed={query.exclude.length > 0}
            changed={(next) => ask({ fields: next })}
          />
          <Names
            label="Exclude"
            none="None"
            clear="Exclude nothing"
            data={shown}
            value={query.exclude}
            isClosed={query.fields.length > 0}
            changed={(next) => ask({ exclude: next })}
          />
          <Names
            label="Expand"
            none="None"
            clear="Expand nothing"
            data={[...expandable(query.expand, resource, model)]}
            value={query.expand}
            changed={(next) => ask({ expand: next })}
          />
          <CountInput
            label="Limit"
            usual={model.limits.defaultLimit}
            max={model.limits.maxLimit}
            value={query.limit}
            changed={(limit) => ask({ limit })}
          />
        </Group>
        {collections.map(({ path, sorts, filters: [within] }) => {
          const order = query.collections.get(path) ?? noOrder;
          // The records stay those that they are, and so does their page.
          const change = (next: Partial<Order>): void =>
            changed({
              ...query,
              collections: new Map([...query.collections, [path, { ...order, ...next }]]),
            });
          return (
            <Group key={path} align="end" grow preventGrowOverflow={false}>
              <SortInput
                label={`Order of ${path}`}
                sorts={sorts}
                value={order.sort}
                changed={(sort) => change({ sort })}
              />
              <CountInput
                label={`Page of ${path}`}
                usual={1}
                value={order.page}
                changed={(page) => change({ page })}
              />
              <CountInput
                label={`Limit of ${path}`}
                usual={undefined}
                max={model.limits.maxLimit}
                value={order.limit}
                changed={(limit) => change({ limit })}
              />
              <AddCondition
                {...shared}
                text={`Filter ${path}`}
                path={within === undefined ? undefined : joined(path, within)}
                added={(next) => changed({ ...query, conditions: [...conditions, next] })}
              />
            </Group>
          );
        })}
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
  /** Whether none can be named, as another parameter says what this one would. */
  readonly isClosed?: boolean;
  readonly changed: (names: readonly string[]) => void;
}

function Names(props: NamesProps): JSX.Element {
  const { label, none, clear, data, value, isClosed = false, changed } = props;
  return (
    <TagsInput
      label={label}
      placeholder={value.length === 0 ? none : undefined}
      data={data}
      value={[...value]}
      onChange={changed}
      disabled={isClosed && value.length === 0}
      clearable
      clearButtonProps={{ 'aria-label': clear }}
      style={{ flex: '1 1 160px', minWidth: 0 }}
    />
  );
}
