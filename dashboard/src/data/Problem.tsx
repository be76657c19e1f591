import { Alert } from '@mantine/core';
import type { JSX } from 'react';
import { Refusal } from '../api.ts';

/** Why a list could not be had, in the words of the server. */
export function Problem({ error }: { readonly error: Error }): JSX.Element {
  const fields = error instanceof Refusal ? error.fields : [];
  const status =
    error instanceof Refusal && error.status > 0 ? `${error.status} ${error.code}` : '';
  return (
    <Alert color="red" role="alert" title={status} m="sm">
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
    </Alert>
  );
}
