import { Alert, Anchor, Button, Table } from '@mantine/core';
import type { JSX } from 'react';
import type { ApiAnswer } from '../api.ts';
import type {
  FieldInfo,
  RelationInfo,
  ResourceInfo,
} from '../../../src/http/dashboard/wire-model.ts';
import { hashOf } from '../route.ts';
import { brief, indented, shown, visible } from '../words.ts';
import { memberOf, type ApiRecord } from './draft.ts';
import { queryFor } from './query.ts';
import { recordsOf } from './records.ts';
import { detailsOf, isRecord, linkOf, nameOf, recordAt, titleOf } from './related.ts';

interface Props {
  readonly answer: ApiAnswer;
  readonly shape: string;
  readonly resource: ResourceInfo;
  /** Whether the list asks for some of the records only. */
  readonly isPart: boolean;
  readonly opened: (id: unknown) => void;
  readonly place: (name: string) => string;
}

/** The records of an answer: a table whose keys lead on, or the body as it came. */
export function Results({ answer, shape, resource, isPart, opened, place }: Props): JSX.Element {
  if (shape === 'json')
    return (
      <pre className="block" tabIndex={0}>
        {answer.body === undefined ? visible(answer.text) : indented(answer.body)}
      </pre>
    );
  const records = recordsOf(answer.body);
  if (records.length === 0)
    return <Alert color="gray">{isPart ? 'No record fits.' : 'There are no records yet.'}</Alert>;
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const fields = new Map(resource.fields.map((field) => [field.name, field]));
  const relations = new Map(
    resource.relations.flatMap((relation) => {
      const { name, pair } = relation;
      return pair === undefined
        ? [[name, relation]]
        : [
            [name, relation],
            [pair.id, relation],
          ];
    }),
  );
  return (
    <Table.ScrollContainer
      minWidth={600}
      type="native"
      tabIndex={0}
      role="region"
      aria-label="Records"
    >
      <Table stickyHeader highlightOnHover verticalSpacing={4} aria-label={resource.name}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((name) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {records.map((record, index) => (
            <Table.Tr key={String(record['id'] ?? index)}>
              {columns.map((name) => (
                <Table.Td key={name} className="cell" title={brief(shown(memberOf(record, name)))}>
                  {name === 'id' ? (
                    <Button
                      variant="subtle"
                      size="compact-sm"
                      px={0}
                      onClick={() => opened(record['id'])}
                      aria-label={`Open ${shown(record['id'])}`}
                    >
                      {shown(record['id'])}
                    </Button>
                  ) : (
                    <Cell
                      value={memberOf(record, name)}
                      field={fields.get(name)}
                      relation={relations.get(name)}
                      resource={resource}
                      record={record}
                      place={place}
                    />
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface CellProps {
  readonly value: unknown;
  readonly field: FieldInfo | undefined;
  /** Present: the value is what was expanded, or the id of a pair. */
  readonly relation: RelationInfo | undefined;
  readonly resource: ResourceInfo;
  readonly record: ApiRecord;
  readonly place: (name: string) => string;
}

function Cell({ value, field, relation, resource, record, place }: CellProps): JSX.Element {
  const reference = field?.reference;
  if (value === null) return <span className="quiet">null</span>;
  if (value === undefined) return <></>;
  if (relation !== undefined) {
    const leading = (related: unknown, text: string): JSX.Element => {
      const id = isRecord(related) ? memberOf(related, 'id') : related;
      const to = recordAt(relation, record, id, place);
      return <Leading to={to} title={brief(shown(related))} text={brief(text)} />;
    };
    if (isRecord(value)) return leading(value, visible(titleOf(value)));
    if (!Array.isArray(value)) return leading(value, shown(value));
    const items = value.filter(isRecord);
    if (items.length === 0) return <span className="quiet">[]</span>;
    const more = (totalOf(record, relation.name) ?? items.length) - shownItems;
    return (
      <ul className="items">
        {items.slice(0, shownItems).map((item, index) => (
          <li key={index}>
            {leading(item, visible(nameOf(item) ?? String(item['id'])))}{' '}
            <span className="quiet">{brief(detailsOf(item))}</span>
          </li>
        ))}
        {items.length > shownItems ? (
          <li>
            <Leading
              to={linkOf(relation, resource, record, place)}
              text={`and ${more.toLocaleString()} more`}
            />
          </li>
        ) : null}
      </ul>
    );
  }
  if (reference === undefined) return <>{brief(shown(value))}</>;
  const to = hashOf('data', place(reference.resource), queryFor(reference.field, value));
  return <Leading to={to} title={`The record of ${reference.resource}`} text={shown(value)} />;
}

/** How many records an expanded collection has in all, where the answer has only some of them. */
function totalOf(record: ApiRecord, name: string): number | undefined {
  const pages = record['_pagination'] as Readonly<Record<string, { total: number }>> | undefined;
  return pages?.[name]?.total;
}

/** How many records of a collection a cell has room for. */
const shownItems = 5;

interface LeadingProps {
  /** Undefined: nowhere. */
  readonly to: string | undefined;
  readonly title?: string;
  readonly text: string;
}

function Leading({ to, title, text }: LeadingProps): JSX.Element {
  if (to === undefined) return <>{text}</>;
  return (
    <Anchor href={to} title={title}>
      {text}
    </Anchor>
  );
}
