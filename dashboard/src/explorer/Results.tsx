import { Alert, Anchor, Button, Table } from '@mantine/core';
import type { JSX } from 'react';
import type { ApiAnswer } from '../api.ts';
import type {
  FieldInfo,
  RelationInfo,
  ResourceInfo,
} from '../../../src/http/dashboard-wire-model.ts';
import { hashOf } from '../route.ts';
import { brief, indented, shown, visible } from '../words.ts';
import { memberOf, type ApiRecord } from './draft.ts';
import { queryFor } from './query.ts';
import { recordsOf } from './records.ts';
import { linkOf, titleOf } from './related.ts';

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
  const relations = new Map(resource.relations.map((relation) => [relation.name, relation]));
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
  /** Present: the value is what was expanded. */
  readonly relation: RelationInfo | undefined;
  readonly record: ApiRecord;
  readonly place: (name: string) => string;
}

function Cell({ value, field, relation, record, place }: CellProps): JSX.Element {
  const reference = field?.reference;
  if (value === null) return <span className="quiet">null</span>;
  if (relation !== undefined && isRecord(value)) {
    const text = brief(visible(titleOf(value)));
    const href = linkOf(relation, record, place);
    return href === undefined ? <>{text}</> : <Anchor href={href}>{text}</Anchor>;
  }
  if (reference === undefined || value === undefined) return <>{brief(shown(value))}</>;
  const to = hashOf('explorer', place(reference.resource), queryFor(reference.field, value));
  return (
    <Anchor href={to} title={`The record of ${reference.resource}`}>
      {shown(value)}
    </Anchor>
  );
}

function isRecord(value: unknown): value is ApiRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
