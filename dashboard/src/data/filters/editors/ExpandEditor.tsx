import { Fieldset, Group, Stack, TagsInput, Text } from '@mantine/core';
import type { JSX } from 'react';
import type { Model, ResourceInfo } from '../../../../../src/http/dashboard/wire-model.ts';
import { collectionsIn, expandable } from '../../expansion.ts';
import { noOrder, withExpansions, type ListQuery, type Order } from '../../query.ts';
import { CountInput } from './CountInput.tsx';
import { SortEditor } from './SortEditor.tsx';

export interface ExpandProps {
  readonly model: Model;
  readonly resource: ResourceInfo;
  readonly query: ListQuery;
  /** Other records: from the first page again. */
  readonly asked: (query: ListQuery) => void;
  /** The same records, shown otherwise. */
  readonly changed: (query: ListQuery) => void;
}

/** Chooses related records, and how those of a collection are sorted and paged. */
export function ExpandEditor(props: ExpandProps): JSX.Element {
  const { model, resource, query, asked, changed } = props;
  const { expand } = query;
  const collections = collectionsIn(expand, resource, model);
  return (
    <Stack gap={10}>
      <TagsInput
        label="Expand"
        placeholder={expand.length === 0 ? 'Relations' : undefined}
        data={[...expandable(expand, resource, model)]}
        value={[...expand]}
        onChange={(next) => asked(withExpansions(query, next, resource, model))}
        clearable
        clearButtonProps={{ 'aria-label': 'Expand nothing' }}
        data-autofocus
      />
      {collections.length === 0 ? (
        <Text size="xs" c="dimmed">
          Related records come along with each record.
        </Text>
      ) : null}
      {collections.map(({ path, sorts }) => {
        const order = query.collections.get(path) ?? noOrder;
        const change = (next: Partial<Order>): void =>
          changed({
            ...query,
            collections: new Map([...query.collections, [path, { ...order, ...next }]]),
          });
        return (
          <Fieldset key={path} legend={path} p="xs">
            <Stack gap={8}>
              <SortEditor
                label={`Order of ${path}`}
                sorts={sorts}
                value={order.sort}
                changed={(sort) => change({ sort })}
              />
              <Group grow gap={8}>
                <CountInput
                  label={`Limit of ${path}`}
                  text="Limit"
                  max={model.limits.maxLimit}
                  value={order.limit}
                  changed={(limit) => change({ limit })}
                />
                <CountInput
                  label={`Page of ${path}`}
                  text="Page"
                  usual={1}
                  value={order.page}
                  changed={(page) => change({ page })}
                />
              </Group>
            </Stack>
          </Fieldset>
        );
      })}
    </Stack>
  );
}
