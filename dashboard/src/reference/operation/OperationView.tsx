import { Badge, Button, Title } from '@mantine/core';
import { useMemo, useState, type JSX } from 'react';
import { credential } from '../../api.ts';
import { Code } from '../../code/Code.tsx';
import type { OpenApi, Operation } from '../document.ts';
import { filtersOf, plainParameters } from './families.ts';
import { FilterEditor } from './FilterEditor.tsx';
import { ParameterList } from './ParameterList.tsx';
import { Prose } from '../Prose.tsx';
import { keyOf, firstDraft, type Draft } from './request.ts';
import { RequestPanel } from './RequestPanel.tsx';
import { Responses } from './Responses.tsx';
import { SchemaTree } from './SchemaTree.tsx';

interface Props {
  readonly document: OpenApi;
  readonly version: string;
  readonly operation: Operation;
  readonly signIn?: () => void;
}

/** One operation: what it takes, with inputs to fill in, what it answers, and the request that comes of it. */
export function OperationView({ document, version, operation, signIn }: Props): JSX.Element {
  const [draft, setDraft] = useState(() => firstDraft(operation));
  const change = (next: Partial<Draft>): void => setDraft((before) => ({ ...before, ...next }));
  const filters = useMemo(() => filtersOf(document, operation), [document, operation.id]);
  const plain = useMemo(() => plainParameters(operation), [operation.id]);
  const inPath = plain.filter((one) => one.in === 'path');
  const inQuery = plain.filter((one) => one.in === 'query' && isMain(one.name));
  const others = plain.filter((one) => one.in === 'query' && !isMain(one.name));
  const headers = plain.filter((one) => one.in === 'header');
  const list = (parameters: typeof plain): JSX.Element => (
    <ParameterList
      parameters={parameters}
      values={draft.values}
      changed={(one, value) =>
        setDraft((before) => ({ ...before, values: { ...before.values, [keyOf(one)]: value } }))
      }
    />
  );
  return (
    <article className="operation" aria-label={operation.title}>
      <header className="operation-head">
        <Title order={1} size="h2">
          {operation.title}
        </Title>
        <p className="address">
          <span className={`method ${operation.method}`}>{operation.method}</span>
          <code>{operation.path}</code>
          {operation.isDeprecated ? <Badge color="orange">deprecated</Badge> : null}
          {operation.isGuarded ? <Badge color="gray">credential needed</Badge> : null}
        </p>
        {sentences(operation.description).map((text) =>
          text.length <= longestSentence ? (
            <p key={text} className="operation-text">
              <Prose text={text} />
            </p>
          ) : (
            <details key={text} className="operation-text">
              <summary>
                <Prose text={text} />
              </summary>
            </details>
          ),
        )}
        {operation.isGuarded && signIn !== undefined && credential() === '' ? (
          <Button size="xs" variant="default" mt={8} onClick={signIn}>
            Sign in to send it
          </Button>
        ) : null}
      </header>
      <div className="operation-parts">
        {inPath.length === 0 ? null : <Part title="Path">{list(inPath)}</Part>}
        {operation.body === undefined ? null : (
          <Part title="Body">
            <Code
              text={draft.body}
              language="json"
              label="Body"
              changed={(body) => change({ body })}
            >
              <span className="quiet">{operation.bodyType}</span>
            </Code>
            <SchemaTree document={document} schema={operation.body.schema ?? {}} />
          </Part>
        )}
        {filters === undefined ? null : (
          <Part title="Filters">
            <FilterEditor
              filters={filters}
              filled={draft.filters}
              changed={(next) => change({ filters: next })}
            />
          </Part>
        )}
        {inQuery.length === 0 ? null : <Part title="Parameters">{list(inQuery)}</Part>}
        {others.length === 0 ? null : (
          <Fold title="More parameters" count={others.length}>
            {list(others)}
          </Fold>
        )}
        {headers.length === 0 ? null : (
          <Fold title="Headers" count={headers.length}>
            {list(headers)}
          </Fold>
        )}
      </div>
      <RequestPanel document={document} version={version} operation={operation} draft={draft} />
      <div className="operation-answers">
        <Part title="Responses">
          <Responses document={document} operation={operation} />
        </Part>
      </div>
    </article>
  );
}

/** Groups of filters, parameters of a debugger and of expanded collections are for few requests. */
function isMain(name: string): boolean {
  return !name.startsWith('_') && !name.includes('.');
}

/** A longer one, which lists names, has one line until it is opened. */
const longestSentence = 130;

/** A description in paragraphs: each sentence says something else. */
function sentences(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=[.)]) (?=[A-Z])/u);
}

function Part(props: {
  readonly title: string;
  readonly children: JSX.Element | readonly JSX.Element[];
}): JSX.Element {
  return (
    <section className="part" aria-label={props.title}>
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

interface FoldProps {
  readonly title: string;
  readonly count: number;
  readonly children: JSX.Element;
}

/** A part that few need. Its inputs are made when it is opened. */
function Fold({ title, count, children }: FoldProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="part fold" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {title} <span className="quiet">{count}</span>
      </summary>
      {isOpen ? children : null}
    </details>
  );
}
