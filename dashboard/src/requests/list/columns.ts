import type { RequestRow } from '../../../../src/http/dashboard/wire.ts';
import { byteText, clock, milliseconds, visible } from '../../words.ts';
import { shownUrl, urlOf } from './rows.ts';

/** What a request is beside its columns. */
export type Mark = 'simulated' | 'sandboxed' | 'own';

export function marksOf({ isSimulated, sandbox, isOwn }: RequestRow): readonly Mark[] {
  const marks: Mark[] = [];
  if (isSimulated) marks.push('simulated');
  if (sandbox !== null) marks.push('sandboxed');
  if (isOwn) marks.push('own');
  return marks;
}

export const markTexts: Readonly<Record<Mark, string>> = {
  simulated: 'Delayed, failed or slowed down by the simulated network',
  sandboxed: 'On the data of a sandbox',
  own: 'Sent by the dashboard',
};

/** A column of the list: what is shown, what it is sorted by, and which values a filter offers. */
export interface Column {
  readonly label: string;
  readonly shown: (row: RequestRow) => string;
  readonly order: (row: RequestRow) => number | string;
  /** The values of a row by which it is filtered. Absent: by an amount, in this unit. */
  readonly values?: (row: RequestRow) => readonly string[];
  readonly unit?: string;
  /** What a filter asks of a text: the whole value, or a part of it. */
  readonly isPart?: true;
}

export const columns = {
  time: {
    label: 'Time',
    shown: ({ time }) => clock.format(Date.parse(time)),
    order: ({ time }) => Date.parse(time),
    unit: 's ago',
  },
  method: {
    label: 'Method',
    shown: ({ method }) => method,
    order: ({ method }) => method,
    values: ({ method }) => [method],
  },
  path: {
    label: 'Path',
    shown: shownUrl,
    order: ({ path, query }) => `${path}?${query}`,
    values: ({ path }) => [path],
    isPart: true,
  },
  status: {
    label: 'Status',
    shown: ({ status }) => String(status),
    order: ({ status }) => status,
    values: ({ status }) => [String(status)],
  },
  duration: {
    label: 'Duration',
    shown: ({ duration }) => `${milliseconds(duration)} ms`,
    order: ({ duration }) => duration,
    unit: 'ms',
  },
  size: {
    label: 'Size',
    shown: ({ size }) => (size === null ? '' : byteText(size)),
    order: ({ size }) => size ?? -1,
    unit: 'bytes',
  },
  caller: {
    label: 'Caller',
    shown: ({ caller }) => visible(caller ?? ''),
    order: ({ caller }) => caller ?? '',
    values: ({ caller }) => [caller ?? none],
  },
  client: {
    label: 'Client',
    shown: ({ client }) => client ?? '',
    order: ({ client }) => client ?? '',
    values: ({ client }) => [client ?? none],
  },
  code: {
    label: 'Error code',
    shown: ({ code }) => code ?? '',
    order: ({ code }) => code ?? '',
    values: ({ code }) => [code ?? none],
  },
  mark: {
    label: 'Mark',
    shown: (row) => marksOf(row).join(' '),
    order: (row) => marksOf(row).join(' '),
    values: (row) => {
      const marks = marksOf(row);
      return marks.length === 0 ? [none] : marks;
    },
  },
} as const satisfies Readonly<Record<string, Column>>;

/** The value of a filter for what is not there. */
export const none = 'none';

export type ColumnName = keyof typeof columns;

export function columnOf(name: ColumnName): Column {
  return columns[name];
}

export function isColumn(name: string): name is ColumnName {
  return Object.hasOwn(columns, name);
}

/** All that a row shows, in lower case; with the URL as it was sent. */
export function textOf(row: RequestRow): string {
  const shown = Object.values(columns).map((column: Column) => column.shown(row));
  return [...shown, urlOf(row), row.route].join(' ').toLowerCase();
}
