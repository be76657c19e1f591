import { Fragment, type JSX } from 'react';

/** Text of a document, with what stands in backticks as code. */
export function Prose({ text }: { readonly text: string }): JSX.Element {
  const parts = text.split(/`([^`]+)`/u);
  return (
    <>
      {parts.map((part, at) => (
        <Fragment key={at}>{at % 2 === 0 ? part : <code>{part}</code>}</Fragment>
      ))}
    </>
  );
}
