import { Alert, Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { JSX } from 'react';
import type { Hello, RequestDetail } from '../../../src/http/dashboard/wire.ts';
import { ask } from '../api.ts';
import { counted, milliseconds } from '../words.ts';
import { sendableHeaders } from './commands.ts';
import { urlOf } from './rows.ts';
import { inClauses } from './sql.ts';

interface ExplainedQuery {
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
  const explain = useMutation({
    mutationFn: async () => {
      const url = urlOf(request);
      const { body } = await ask(`${url}${url.includes('?') ? '&' : '?'}_debug=plan`, {
        headers: sendableHeaders(request),
      });
      return queriesOf(body);
    },
  });
  const mayExplain =
    request.method === 'GET' && request.status < 300 && request.tellsValues && session.mayChange;
  if (statementList.length === 0) return <Text>No statement ran.</Text>;
  return (
    <Stack gap="sm">
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
          <Text size="sm" className="quiet" mt={4}>
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
        <div key={index}>
          <Text size="sm" mb={4}>
            {milliseconds(statement.duration)} ms
            {statement.rows === null ? ', failed' : `, ${counted(statement.rows, 'row')}`}
            {statement.stage === null ? '' : `, in ${statement.stage}`}
          </Text>
          <pre className="block" tabIndex={0}>
            {statement.sql === null ? 'Not told' : inClauses(statement.sql)}
          </pre>
          <Plan
            number={index + 1}
            query={explain.data?.find(({ sql }) => sql !== null && sql === statement.sql)}
          />
        </div>
      ))}
      {explain.data
        ?.filter(({ sql }) => !statementList.some((statement) => statement.sql === sql))
        .map((query, index) => (
          <div key={index}>
            <Text size="sm" mb={4}>
              Ran only when the request was sent again
            </Text>
            <pre className="block" tabIndex={0}>
              {query.sql === null ? 'Not told' : inClauses(query.sql)}
            </pre>
            <Plan number={statementList.length + index + 1} query={query} />
          </div>
        ))}
    </Stack>
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
      <Text size="sm" className="quiet" mb={4}>
        Plan of statement {number}
      </Text>
      <pre className="block" tabIndex={0}>
        {query.plan?.join('\n') ?? 'The database gives no plan.'}
      </pre>
      {query.index === undefined ? null : (
        <Text size="sm" mt={4}>
          It looks through the whole table. An index in the specification would help:{' '}
          <code>{query.index}</code>
        </Text>
      )}
    </div>
  );
}

function queriesOf(body: unknown): readonly ExplainedQuery[] {
  const { _debug } = body as {
    _debug?: { database?: { queries?: readonly ExplainedQuery[] } };
  };
  return _debug?.database?.queries ?? [];
}
