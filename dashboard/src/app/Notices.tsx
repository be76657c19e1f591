import { Alert, Stack, Text } from '@mantine/core';
import type { JSX } from 'react';
import type { ReloadEvent } from '../../../src/observability/events.ts';
import { useLive } from '../live/live.ts';

/** What concerns every view: a server that is gone, and an edit of the specification that is not served. */
export function Notices(): JSX.Element | null {
  const problem = useLive((live) => live.problem);
  const specification = useLive((live) => live.specification);
  if (problem === undefined && specification === null) return null;
  return (
    <Stack gap="sm" mb="md">
      {problem === undefined ? null : (
        <Alert color="red" role="alert" title={problem.message}>
          What is shown is as it was. The page tries again every few seconds.
        </Alert>
      )}
      {specification === null ? null : <Edit {...specification} />}
    </Stack>
  );
}

function Edit({ file, problems, question }: ReloadEvent): JSX.Element {
  const isQuestion = question !== undefined;
  return (
    <Alert
      color={isQuestion ? 'orange' : 'red'}
      role="alert"
      title={
        isQuestion ? `${file}: the terminal asks you` : `${file} is not served as it was saved`
      }
    >
      {isQuestion ? <Text mb="xs">{question}</Text> : null}
      <ul className="problems">
        {problems.map(({ message, path, line, column }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- they have no other identity
          <li key={index}>
            {line === undefined ? null : (
              <code>
                {file}:{line}
                {column === undefined ? '' : `:${column}`}
              </code>
            )}{' '}
            {path === undefined || path === '' ? null : <strong>{path} </strong>}
            {message}
          </li>
        ))}
      </ul>
      <Text size="sm" mt="xs">
        The last valid version stays in use.
      </Text>
    </Alert>
  );
}
