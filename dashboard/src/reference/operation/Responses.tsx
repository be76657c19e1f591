import { useState, type JSX } from 'react';
import { statusColor } from '../../words.ts';
import type { Answer, OpenApi, Operation } from '../document.ts';
import { Prose } from '../Prose.tsx';
import { SchemaTree } from './SchemaTree.tsx';

interface Props {
  readonly document: OpenApi;
  readonly operation: Operation;
}

/** The responses by status. The first is open, and the errors are one line each. */
export function Responses({ document, operation }: Props): JSX.Element {
  return (
    <div className="responses">
      {operation.responses.map(([status, answer], at) => (
        <Response
          key={status}
          document={document}
          status={status}
          answer={answer}
          isFirst={at === 0}
        />
      ))}
    </div>
  );
}

interface ResponseProps {
  readonly document: OpenApi;
  readonly status: string;
  readonly answer: Answer;
  readonly isFirst: boolean;
}

function Response({ document, status, answer, isFirst }: ResponseProps): JSX.Element {
  const [isOpen, setOpen] = useState(isFirst);
  const media = answer.content?.['application/json'];
  const types = Object.keys(answer.content ?? {});
  return (
    <details open={isFirst} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span className={`status ${statusColor(Number(status))}`}>{status}</span>{' '}
        <span className="answer-text">
          <Prose text={answer.description ?? ''} />
        </span>
      </summary>
      {isOpen ? (
        <div className="answer">
          {types.length > 1 ? <p className="part-text">As {types.join(', ')}.</p> : null}
          {media?.schema === undefined ? null : (
            <SchemaTree document={document} schema={media.schema} />
          )}
          <p className="part-text">
            Headers: {Object.keys(answer.headers ?? {}).join(', ') || 'none of its own'}.
          </p>
        </div>
      ) : null}
    </details>
  );
}
