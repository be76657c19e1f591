import { Button, CopyButton } from '@mantine/core';
import type { JSX } from 'react';
import { asCurl, asFetch, type Sendable } from './commands.ts';

/** Buttons that copy a request as commands for others, without its credential. */
export function CopyCommands({ request }: { readonly request: Sendable }): JSX.Element {
  const { origin } = location;
  return (
    <>
      <Copy label="Copy as curl" text={asCurl(request, origin)} />
      <Copy label="Copy as fetch" text={asFetch(request, origin)} />
    </>
  );
}

function Copy({ label, text }: { label: string; text: string }): JSX.Element {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="xs" variant="default" onClick={copy}>
          {copied ? 'Copied' : label}
        </Button>
      )}
    </CopyButton>
  );
}
