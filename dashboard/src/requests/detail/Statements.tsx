import { Alert, Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { JSX, ReactNode } from 'react';
import type { Hello, RequestDetail } from '../../../../src/http/dashboard/wire.ts';
import { ask } from '../../api.ts';
import { Code } from '../../code/Code.tsx';
import { counted, milliseconds } from '../../words.ts';
import { sendableHeaders, type Sendable } from '../copy/commands.ts';
import { urlOf } from '../list/rows.ts';
import { inClauses } from './sql.ts';

export interface ExplainedQuery {
  /** Null: it names something hidden from the caller. */
  readonly sql: string | null;
  readonly duration: string;
  readonly plan?: readonly string[] | null;
  readonly index?: string;
}

interface Props {
  readonly request: RequestDetail;
  readonly session: Hello;
}

/** The statements that ran, and on demand how the database runs them. */
export function Statements({ request, session }: Props): JSX.Element {
  const { statementList = [] } = request;
  const explain = useMutation({ mutationFn: () => explained(request) });
  const mayExplain =
    request.method === 'GET' && request.status < 300 && request.tellsValues && session.mayChange;
  if (statementList.length === 0) return <Text size="sm">No statement ran.</Text>;
  const others = explain.data?.filter(
    ({ sql }) => !statementList.some((statement) => statement.sql === sql),
  );
  return (
    <>
      {mayExplain ? (
        <div>
          <Button
            size="xs"
            variant="default"
            onClick={() => explain.mutate()}
            loading={explain.isPending}
          >
            Explain
          </Button>
          <Text size="xs" className="quiet" mt={4}>
            Sends the request again and asks the database how it runs each statement.
          </Text>
        </div>
      ) : null}
      {explain.error === null ? null : (
        <Alert color="red" role="alert">
          {explain.error.message}
        </Alert>
      )}
      {statementList.map((statement, index) => (
        <section key={index} aria-label={`Statement ${index + 1}`}>
          <Sql sql={statement.sql}>
            {milliseconds(statement.duration)} ms
            <span className="quiet">
              {statement.rows === null ? ', failed' : `, ${counted(statement.rows, 'row')}`}
              {statement.stage === null ? '' : `, in ${statement.stage}`}
            </span>
          </Sql>
          <Plan number={index + 1} query={explain.data?.find(({ sql }) => sql === statement.sql)} />
        </section>
      ))}
      {others?.map((query, index) => (
        <section key={index} aria-label="Statement that ran again">
          <Sql sql={query.sql}>
            <span className="quiet">Ran only when the request was sent again</span>
          </Sql>
          <Plan number={statementList.length + index + 1} query={query} />
        </section>
      ))}
    </>
  );
}

function Sql({
  sql,
  children,
}: {
  readonly sql: string | null;
  readonly children: ReactNode;
}): JSX.Element {
  return (
    <Code text={sql === null ? 'Not told' : inClauses(sql)} language="text" label="SQL">
      {children}
    </Code>
  );
}

interface PlanProps {
  readonly number: number;
  readonly query: ExplainedQuery | undefined;
}

/** How the database runs a statement, and what would spare it work. */
function Plan({ number, query }: PlanProps): JSX.Element | null {
  if (query === undefined) return null;
  return (
    <div className="plan">
      <Text size="xs" className="quiet" mb={4}>
        Plan of statement {number}
      </Text>
      <pre className="block" tabIndex={0} aria-label={`Plan of statement ${number}`}>
        {query.plan?.join('\n') ?? 'The database gives no plan.'}
      </pre>
      {query.index === undefined ? null : (
        <Alert color="orange" mt={8} role="note">
          It looks through the whole table. An index in the specification would help:{' '}
          <code>{query.index}</code>
        </Alert>
      )}
    </div>
  );
}

/** Sends a GET again and asks for the plans of its statements. */
export async function explained(request: Sendable): Promise<readonly ExplainedQuery[]> {
  const url = urlOf(request);
  const { body } = await ask(`${url}${url.includes('?') ? '&' : '?'}_debug=plan`, {
    headers: sendableHeaders(request),
  });
  const { _debug } = body as {
    _debug?: { database?: { queries?: readonly ExplainedQuery[] } };
  };
  return _debug?.database?.queries ?? [];
}
