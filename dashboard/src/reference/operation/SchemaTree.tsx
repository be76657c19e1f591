import { ChevronRight } from 'lucide-react';
import { useState, type JSX } from 'react';
import { nameOf, resolved, type OpenApi, type Schema } from '../document.ts';
import { Prose } from '../Prose.tsx';
import { limitsText, typeText } from './schema-words.ts';

interface Props {
  readonly document: OpenApi;
  readonly schema: Schema;
}

/** The members of a schema with their types. A click on a name opens its members, since schemas may be recursive. */
export function SchemaTree({ document, schema }: Props): JSX.Element {
  const shown = within(document, schema);
  const forms = (shown.anyOf ?? shown.oneOf ?? []).filter(({ type }) => type !== 'null');
  if (shown.properties === undefined && forms.length > 0)
    return (
      <ul className="members">
        {forms.map((form, at) => (
          <Member
            key={at}
            document={document}
            name=""
            schema={form}
            isNeeded={false}
            isFirst={at === 0}
          />
        ))}
      </ul>
    );
  const needed = new Set(shown.required);
  const members = Object.entries(shown.properties ?? {});
  if (members.length === 0)
    return (
      <p className="schema-text">
        <span className="type">{typeText(schema)}</span> <Prose text={shown.description ?? ''} />
      </p>
    );
  return (
    <ul className="members">
      {members.map(([name, member]) => (
        <Member
          key={name}
          document={document}
          name={name}
          schema={member}
          isNeeded={needed.has(name)}
        />
      ))}
    </ul>
  );
}

interface MemberProps extends Props {
  readonly name: string;
  readonly isNeeded: boolean;
  /** Whether it is the first of several forms, which is open. */
  readonly isFirst?: boolean;
}

function Member({ document, name, schema, isNeeded, isFirst = false }: MemberProps): JSX.Element {
  const [isOpen, setOpen] = useState(isFirst);
  const below = within(document, schema);
  const hasMembers =
    Object.keys(below.properties ?? {}).length > 0 ||
    (below.anyOf ?? below.oneOf ?? []).some(({ $ref, properties, items }) =>
      Boolean($ref ?? properties ?? items),
    );
  const shown = schema.$ref === undefined ? schema : { ...below, ...schema };
  const limits = limitsText(schema.$ref === undefined ? (schema.items ?? schema) : {});
  const head = (
    <>
      {name === '' ? null : <code className="member-name">{name}</code>}
      <span className="type">
        {typeText(schema)}
        {limits === '' ? '' : `, ${limits}`}
      </span>
      {isNeeded ? <span className="needed">required</span> : null}
    </>
  );
  return (
    <li>
      {hasMembers ? (
        <details open={isFirst} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>
            {head}
            <ChevronRight size={14} aria-hidden />
          </summary>
          {isOpen ? <SchemaTree document={document} schema={below} /> : null}
        </details>
      ) : (
        <div className="member">{head}</div>
      )}
      {shown.description === undefined || name === '' ? null : (
        <p className="member-text">
          <Prose text={shown.description} />
        </p>
      )}
    </li>
  );
}

/** What a schema has members of: what it refers to, an item of a list, the one form beside null. */
function within(document: OpenApi, schema: Schema): Schema {
  let shown = schema;
  // A chain of references is short; a circle of them has no members.
  for (let step = 0; step < 8; step += 1) {
    const forms = (shown.anyOf ?? shown.oneOf ?? []).filter(({ type }) => type !== 'null');
    const [only] = forms;
    if (nameOf(shown) !== '') shown = resolved<Schema>(document, shown);
    else if (shown.items !== undefined && shown.properties === undefined) shown = shown.items;
    else if (only !== undefined && forms.length === 1 && shown.properties === undefined)
      shown = only;
    else break;
  }
  return shown;
}
