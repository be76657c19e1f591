import { Alert, Loader, MultiSelect, Table, TagsInput, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { JSX } from 'react';
import type { Model, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { ask } from '../api.ts';
import { brief, shown } from '../words.ts';
import { recordsOf } from './grid/records.ts';
import { reachOf } from './paths.ts';
import type { ListQuery } from './query.ts';
import { isRecord } from './record/related.ts';

/** The parts of dates by which records are grouped. */
const parts = ['year', 'quarter', 'month', 'week', 'day', 'weekday'] as const;
const moments: ReadonlySet<string> = new Set(['date', 'datetime']);
const numbers: ReadonlySet<string> = new Set(['integer', 'number', 'decimal']);

/** Keys of groups: fields that can be sorted by, those of records that this one names, and parts of dates. */
function keysOf(resource: ResourceInfo, model: Model): readonly string[] {
  const own = (one: ResourceInfo): readonly string[] =>
    one.filters.flatMap(({ path, isSortable, kind, type }) =>
      kind !== 'field' || !isSortable
        ? []
        : moments.has(type ?? '')
          ? [path, ...parts.map((part) => `${path}:${part}`)]
          : [path],
    );
  const behind = resource.relations
    .filter(({ isToMany, pair }) => !isToMany && pair === undefined)
    .flatMap(({ name }) =>
      reachOf(name, resource, model).faces.flatMap((face) =>
        own(face).map((path) => `${name}.${path}`),
      ),
    );
  return [...new Set([...own(resource), ...behind])];
}

function functionsOf({ filters }: ResourceInfo): readonly string[] {
  const fields = filters.filter(({ kind, isSortable }) => kind === 'field' && isSortable);
  const named = (names: readonly string[], paths: readonly string[]): readonly string[] =>
    names.flatMap((name) => paths.map((path) => `${name}:${path}`));
  const numeric = fields.filter(({ type }) => numbers.has(type ?? '')).map(({ path }) => path);
  const all = fields.map(({ path }) => path);
  return [
    'count',
    ...named(['sum', 'avg'], numeric),
    ...named(['min', 'max', 'countDistinct'], all),
  ];
}

interface Props {
  readonly model: Model;
  readonly resource: ResourceInfo;
  readonly query: ListQuery;
  readonly url: string;
  readonly changed: (others: ListQuery['others']) => void;
}

/** The records in groups: counts and sums as a table, and the first of them as a chart. */
export function Summary({ model, resource, query, url, changed }: Props): JSX.Element {
  const valuesOf = (name: string): readonly string[] =>
    (query.others.find(([one]) => one === name)?.[1] ?? '').split(',').filter((one) => one !== '');
  const [keys, functions] = [valuesOf('group'), valuesOf('aggregate')];
  const write = (name: string, values: readonly string[]): void => {
    const rest = query.others.filter(([one]) => one !== name);
    changed(values.length === 0 ? rest : [...rest, [name, values.join(',')]]);
  };
  const { data, error } = useQuery({
    queryKey: ['groups', url],
    queryFn: () => ask(url),
    placeholderData: keepPreviousData,
  });
  const groups = recordsOf(data?.body);
  const columns = columnsOf(groups);
  const measure = columns.find(
    ({ isKey, name }) => !isKey && groups.some((one) => figureOf(one, name) !== undefined),
  );
  return (
    <div className="groups">
      <div className="groups-form">
        <MultiSelect
          label="Group by"
          placeholder={keys.length === 0 ? 'The whole list' : undefined}
          data={[...new Set([...keysOf(resource, model), ...keys])]}
          value={[...new Set(keys)]}
          onChange={(next) => write('group', next)}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'The whole list' }}
        />
        <TagsInput
          label="Of each group"
          data={[...functionsOf(resource)]}
          value={[...new Set(functions)]}
          onChange={(next) => write('aggregate', next)}
          placeholder={functions.length === 0 ? 'count' : undefined}
          clearable
          clearButtonProps={{ 'aria-label': 'Count alone' }}
        />
      </div>
      {error === null ? null : (
        <Alert color="red" role="alert">
          {error.message}
        </Alert>
      )}
      {data === undefined ? (
        error === null ? (
          <Loader aria-label="Loading" />
        ) : null
      ) : groups.length === 0 ? (
        <Text c="dimmed">No record fits.</Text>
      ) : (
        <div className="groups-result">
          {measure === undefined || keys.length === 0 ? null : (
            <Bars groups={groups} measure={measure.name} />
          )}
          <div className="groups-table" role="region" aria-label="Groups" tabIndex={0}>
            <Table stickyHeader>
              <Table.Thead>
                <Table.Tr>
                  {columns.map(({ name, isKey }) => (
                    <Table.Th key={name} className={isKey ? undefined : 'numeric'}>
                      {name}
                    </Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {groups.map((one, index) => (
                  <Table.Tr key={index}>
                    {columns.map(({ name, isKey }) => (
                      <Table.Td key={name} className={isKey ? undefined : 'numeric'}>
                        {brief(shown(isKey ? keyOf(one, name) : valueOf(one, name)))}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
        </div>
      )}
    </div>
  );
}

type GroupRecord = Readonly<Record<string, unknown>>;

function keyOf(group: GroupRecord, name: string): unknown {
  const keys = group['group'];
  return isRecord(keys) ? keys[name] : undefined;
}

/** A function of a group by its name in `sort`: `count`, `sum.total`. */
function valueOf(group: GroupRecord, name: string): unknown {
  const dot = name.indexOf('.');
  if (dot === -1) return group[name];
  const values = group[name.slice(0, dot)];
  return isRecord(values) ? values[name.slice(dot + 1)] : undefined;
}

function figureOf(group: GroupRecord, name: string): number | undefined {
  const value = valueOf(group, name);
  const number = value === null || value === undefined || value === '' ? NaN : Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function columnsOf(groups: readonly GroupRecord[]): readonly { name: string; isKey: boolean }[] {
  const [first] = groups;
  if (first === undefined) return [];
  const keys = isRecord(first['group']) ? Object.keys(first['group']) : [];
  const values = Object.entries(first).flatMap(([name, value]) =>
    name === 'group'
      ? []
      : isRecord(value)
        ? Object.keys(value).map((path) => `${name}.${path}`)
        : [name],
  );
  return [
    ...keys.map((name) => ({ name, isKey: true })),
    ...values.map((name) => ({ name, isKey: false })),
  ];
}

const mostBars = 24;

interface BarsProps {
  readonly groups: readonly GroupRecord[];
  readonly measure: string;
}

/** A bar for each group, the longest as wide as there is room. */
function Bars({ groups, measure }: BarsProps): JSX.Element {
  const shownGroups = groups.slice(0, mostBars);
  const figures = shownGroups.map((one) => figureOf(one, measure) ?? 0);
  const most = Math.max(...figures.map(Math.abs), 0);
  return (
    <figure className="bars" aria-label={`${measure} by group`}>
      <figcaption>{measure}</figcaption>
      <ul>
        {shownGroups.map((one, index) => (
          <li key={index}>
            <span className="name">
              {isRecord(one['group']) ? Object.values(one['group']).map(shown).join(', ') : ''}
            </span>
            <span className="track">
              <span
                className="bar"
                style={{
                  width: `${most === 0 ? 0 : (100 * Math.abs(figures[index] ?? 0)) / most}%`,
                }}
              />
            </span>
            <span className="numeric">{shown(valueOf(one, measure))}</span>
          </li>
        ))}
      </ul>
      {groups.length > mostBars ? (
        <Text size="xs" c="dimmed">
          The first {mostBars} of {groups.length.toLocaleString()}
        </Text>
      ) : null}
    </figure>
  );
}
