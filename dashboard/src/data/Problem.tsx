import { Alert, Button } from '@mantine/core';
import type { JSX } from 'react';
import { Refusal } from '../api.ts';

interface Props {
  readonly error: Error;
  readonly again: () => void;
}

/** Why a list could not be had, in the words of the server. What may pass by itself can be tried again. */
export function Problem({ error, again }: Props): JSX.Element {
  const fields = error instanceof Refusal ? error.fields : [];
  const status =
    error instanceof Refusal && error.status > 0 ? `${error.status} ${error.code}` : '';
  const mayPass = error instanceof Refusal && (error.status === 0 || error.status >= 500);
  return (
    <Alert color="red" role="alert" title={status} mx={20} my={12}>
      {error.message}
      {fields.length === 0 ? null : (
        <ul>
          {fields.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              <strong>{field}</strong> {message}
            </li>
          ))}
        </ul>
      )}
      {mayPass ? (
        <Button size="xs" variant="default" mt={8} display="block" onClick={again}>
          Try again
        </Button>
      ) : null}
    </Alert>
  );
}
