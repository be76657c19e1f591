import { Table, Text } from '@mantine/core';
import type { JSX } from 'react';
import type { RequestDetail, Step } from '../../../src/http/dashboard/wire.ts';
import { milliseconds } from '../words.ts';

/** The steps of a request, each where it began and as long as it took, and the statements below their step. */
export function Waterfall({ request }: { readonly request: RequestDetail }): JSX.Element {
  const { steps = [], statementList = [] } = request;
  const last = steps.at(-1);
  const total = Math.max(last === undefined ? 0 : last.begin + last.duration, 0.01);
  const lines = steps.flatMap((step) => [
    { name: step.stage, isSql: false, part: step },
    ...statementList
      .filter(({ stage, begin }) => stage === step.stage && begin >= step.begin - 0.01)
      .map((statement) => ({ name: statement.sql ?? 'Not told', isSql: true, part: statement })),
  ]);
  return (
    <>
      <Table aria-label="Trace" verticalSpacing={4} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="32%">Step</Table.Th>
            <Table.Th>Time</Table.Th>
            <Table.Th className="numeric" w={90}>
              ms
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map(({ name, isSql, part }, index) => (
            <Table.Tr key={index}>
              <Table.Td
                // Of a step the end tells most, such as what was expanded; a statement is told whole beside this.
                className={isSql ? 'cell mono' : 'whole mono'}
                title={name}
                pl={isSql ? 'lg' : undefined}
              >
                {name}
              </Table.Td>
              <Table.Td>
                <Track part={part} total={total} isSql={isSql} />
              </Table.Td>
              <Table.Td className="numeric">{milliseconds(part.duration)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm" className="quiet" mt="xs">
        Steps in blue, statements in green; {milliseconds(total)} ms in all.
      </Text>
    </>
  );
}

interface TrackProps {
  readonly part: Pick<Step, 'begin' | 'duration'>;
  readonly total: number;
  readonly isSql: boolean;
}

function Track({ part, total, isSql }: TrackProps): JSX.Element {
  const left = Math.min(99.5, (part.begin / total) * 100);
  const width = Math.min(100 - left, (part.duration / total) * 100);
  return (
    <div className="track" aria-hidden>
      <div
        className={isSql ? 'bar sql' : 'bar'}
        style={{ left: `${left}%`, width: `${Math.max(0, width)}%` }}
      />
    </div>
  );
}
