import { Alert, Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { JSX } from 'react';
import type { Hello, RequestDetail } from '../../../src/http/dashboard-wire.ts';
import { ask } from '../api.ts';
import { counted, figure } from '../words.ts';
import { sendableHeaders } from './commands.ts';
import { urlOf } from './rows.ts';

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
      {statementList.map((statement, index) => (
        <div key={index}>
          <Text size="sm" mb={4}>
            {figure(statement.duration)} ms
            {statement.rows === null ? ', failed' : `, ${counted(statement.rows, 'row')}`}
            {statement.stage === null ? '' : `, in ${statement.stage}`}
          </Text>
          <pre className="block" tabIndex={0}>
            {statement.sql}
          </pre>
        </div>
      ))}
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
      {explain.data?.map((query, index) => (
        <div key={index}>
          <Text size="sm" mb={4}>
            Plan of statement {index + 1}
          </Text>
          <pre className="block" tabIndex={0}>
            {query.plan?.join('\n') ?? 'The database gives no plan.'}
            {query.index === undefined ? '' : `\n\n${query.index}`}
          </pre>
        </div>
      ))}
    </Stack>
  );
}

function queriesOf(body: unknown): readonly ExplainedQuery[] {
  const { _debug } = body as {
    _debug?: { database?: { queries?: readonly ExplainedQuery[] } };
  };
  return _debug?.database?.queries ?? [];
}
