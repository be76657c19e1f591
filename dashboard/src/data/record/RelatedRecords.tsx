import { Anchor, Loader, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { JSX } from 'react';
import type {
  Model,
  RelationInfo,
  ResourceInfo,
} from '../../../../src/http/dashboard/wire-model.ts';
import { ask } from '../../api.ts';
import { hashOf } from '../../route.ts';
import { brief, counted, shown } from '../../words.ts';
import { recordsOf } from '../grid/records.ts';
import { memberOf, type ApiRecord } from './draft.ts';
import { labelFields } from './label-fields.ts';
import { keysIn, useLabels } from './labels.ts';
import { isRecord, linkOf, searchOf } from './related.ts';

interface Props {
  readonly relation: RelationInfo;
  readonly model: Model;
  readonly resource: ResourceInfo;
  readonly record: ApiRecord;
  readonly url: string;
  readonly place: (name: string) => string;
}

/** How many related records a panel shows, and how many of their fields. */
const [mostRecords, mostFields] = [5, 4];

/** The related records of a record in a small grid of their own, and where all of them are. */
export function RelatedRecords(props: Props): JSX.Element {
  const { relation, model, resource, record, url, place } = props;
  const { name, targets, isToMany } = relation;
  const target = model.resources.find((one) => one.name === targets[0]);
  const to = linkOf(relation, resource, record, place);
  const search =
    isToMany && target?.operations.includes('read') === true
      ? searchOf(relation, record)
      : undefined;
  const { data, error } = useQuery({
    queryKey: ['related', url, name, search],
    queryFn: async () => {
      if (search !== undefined && target !== undefined) {
        const { body, headers } = await ask(
          `${model.path}/${target.name}?${search}&page=1&limit=${mostRecords}`,
        );
        return { records: recordsOf(body), total: Number(headers.get('x-total-count')) };
      }
      const limit = isToMany ? `&${encodeURIComponent(name)}.limit=${mostRecords}` : '';
      const { body } = await ask(`${url}?expand=${encodeURIComponent(name)}${limit}`);
      const found = memberOf(body as ApiRecord, name);
      const pages = memberOf(body as ApiRecord, '_pagination') as
        | Readonly<Record<string, { total: number }>>
        | undefined;
      const records = Array.isArray(found)
        ? found.filter(isRecord)
        : isRecord(found)
          ? [found]
          : [];
      return { records, total: pages?.[name]?.total ?? records.length };
    },
    gcTime: 0,
  });
  return (
    <section className="related" aria-label={name}>
      <header>
        <strong>{name}</strong>
        {data === undefined ? null : to === undefined ? (
          <span className="quiet">{data.total.toLocaleString()}</span>
        ) : (
          <Anchor href={to} aria-label={`All of ${name}`}>
            {counted(data.total, 'record')}
          </Anchor>
        )}
      </header>
      {error !== null ? (
        <Text size="sm">{error.message}</Text>
      ) : data === undefined ? (
        <Loader aria-label="Loading" />
      ) : data.records.length === 0 ? (
        <Text size="sm" c="dimmed">
          None
        </Text>
      ) : (
        <SmallGrid
          records={data.records}
          relation={relation}
          model={model}
          target={target}
          place={place}
        />
      )}
    </section>
  );
}

interface GridProps extends Pick<Props, 'relation' | 'model' | 'place'> {
  readonly records: readonly ApiRecord[];
  readonly target: ResourceInfo | undefined;
}

function SmallGrid({ records, relation, model, target, place }: GridProps): JSX.Element {
  const { name, foundBy = [] } = relation;
  const known = target === undefined ? [] : labelFields(target);
  const all = [...new Set(records.flatMap((one) => Object.keys(one)))];
  const columns = ['id', ...new Set([...known, ...all])]
    .filter((one, index, list) => all.includes(one) && list.indexOf(one) === index)
    // What finds them is the same in all of them.
    .filter((one) => !foundBy.some(({ path }) => path === one) || one === 'id')
    .slice(0, mostFields);
  const fields = target?.fields.filter((field) => columns.includes(field.name)) ?? [];
  const labels = useLabels(
    keysIn(
      fields.map((field) => ({ name: field.name, field })),
      records,
    ),
    model,
  );
  const text = (column: string, value: unknown): string => {
    const { reference } = fields.find((field) => field.name === column) ?? {};
    return (reference && labels(reference, value)) ?? brief(shown(value));
  };
  return (
    <div className="small-grid" role="region" aria-label={`Some of ${name}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((one) => (
              <th key={one}>{one}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((one, index) => (
            <tr key={String(one['id'] ?? index)}>
              {columns.map((column) => (
                <td key={column}>
                  {column === 'id' && target !== undefined ? (
                    <Anchor href={hashOf('data', place(`${target.name}/${String(one['id'])}`))}>
                      {shown(one['id'])}
                    </Anchor>
                  ) : (
                    text(column, memberOf(one, column))
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
