import { code, head, row } from './markdown.ts';
import { specificationJsonSchema } from '../../src/model/load-specification.ts';

/** What this reads of a JSON Schema; other keywords do not show in the reference. */
interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string | undefined;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

interface Row {
  readonly key: string;
  readonly schema: Schema;
}

/** Definitions that have a section of their own. */
const sections: Readonly<Record<string, string>> = {
  network: 'map',
  access: 'rules for operations',
  fieldAccess: 'rules for `read` and `write`',
  rules: 'a rule or a list of them',
  field: 'a field',
  id: 'a field',
  item: 'a field without a name',
  property: 'a field',
  resource: 'a resource',
};

/** Every key of the specification file as Markdown, made from the definitions that the parser checks by. */
export function specificationReference(): string {
  const root = specificationJsonSchema() as Schema;
  const definitions = root.$defs ?? {};

  /** The definition itself, with what is said where it is used. */
  const resolved = (schema: Schema): Schema => {
    const name = nameOf(schema);
    if (name === undefined) return schema;
    const { $ref: _reference, ...here } = schema;
    return { ...resolved(definitions[name] ?? {}), ...here };
  };

  /** What can stand there, in a few words: one for each alternative, none for what the environment may give anywhere. */
  const valuesOf = (schema: Schema): readonly string[] => {
    const name = nameOf(schema);
    if (name === 'variable' || name === 'withVariable') return [];
    if (name !== undefined) {
      const section = sections[name];
      return section === undefined ? valuesOf(definitions[name] ?? {}) : [section];
    }
    const { type, examples, enum: words, anyOf, items } = schema;
    if ('const' in schema) return [code(schema.const)];
    if (words !== undefined) return [words.map(code).join(', ')];
    const such = examples === undefined ? [] : [`such as ${examples.map(code).join(', ')}`];
    if (anyOf !== undefined) {
      const kinds = [...new Set(anyOf.flatMap(valuesOf))];
      // Text of a form of its own, or a number with a unit.
      return such.length > 0 && kinds.every((kind) => isPlain(kind)) ? such : kinds;
    }
    if (such.length > 0) return such;
    if (type === 'array') return [`list of ${valuesOf(items ?? {}).join(' or ')}`];
    return [type === undefined ? 'any value' : (kindNames[type] ?? type)];
  };

  /** The keys of a map and, below them, those of the maps in it. */
  const rowsOf = (schema: Schema, before = ''): readonly Row[] =>
    Object.entries(schema.properties ?? {}).flatMap(([name, used]) => {
      const key = `${before}${name}`;
      return [{ key, schema: used }, ...(isSection(used) ? [] : below(used, key))];
    });

  const below = (used: Schema, key: string): readonly Row[] => {
    const { properties, anyOf = [], items, additionalProperties: named } = resolved(used);
    return [
      ...(properties === undefined ? [] : rowsOf({ properties }, `${key}.`)),
      ...anyOf.flatMap((alternative) => (isSection(alternative) ? [] : below(alternative, key))),
      ...(items === undefined || isSection(items) ? [] : below(items, `${key}[]`)),
      ...(typeof named !== 'object' || isSection(named) ? [] : below(named, `${key}.<name>`)),
    ];
  };

  const line = ({ key, schema }: Row, between: readonly string[] = []): string => {
    const { default: value, description = '' } = resolved(schema);
    const shown = value === undefined || value === '' ? '' : listed(value);
    return row([code(key), ...between, valuesOf(schema).join(' or '), shown, description]);
  };
  const tableOf = (rows: readonly Row[]): readonly string[] => [
    ...head(['key', 'value', 'default', 'what it is']),
    ...rows.map((each) => line(each)),
    '',
  ];

  /** The attributes of several kinds of field: what is the same in several is one line, which says of which. */
  const attributesOf = (prefix: string, kinds: readonly string[], first: string) => {
    const lines = new Map<string, { readonly schemas: Schema[]; readonly on: Set<string> }>();
    for (const kind of kinds)
      for (const [key, schema] of Object.entries(
        definitions[`${prefix}${kind}`]?.properties ?? {},
      )) {
        if (fixed.has(key)) continue;
        const id = JSON.stringify([key, resolved(schema).description]);
        const same = lines.get(id) ?? { schemas: [], on: new Set() };
        same.schemas.push(schema);
        same.on.add(kind);
        lines.set(id, same);
      }
    return [
      ...head(['key', first, 'value', 'default', 'what it is']),
      ...[...lines].map(([id, { schemas, on }]) => {
        const [key] = JSON.parse(id) as [string];
        const { default: value, description } = resolved(schemas[0] ?? {});
        const schema = { anyOf: schemas, default: value, description };
        return line({ key, schema }, [kindsOf(on, kinds)]);
      }),
      '',
    ];
  };

  const top = Object.entries(root.properties ?? {}).filter(([name]) => name !== '$schema');
  const parts = top.flatMap(([name, schema]) => {
    const rows = apart.has(name) ? [] : below(schema, name);
    return rows.length === 0 ? [] : [`## ${name}`, '', ...tableOf(rows)];
  });
  /** The words that an attribute may be. */
  const words = (schema: Schema | undefined): readonly string[] =>
    (schema?.enum ?? schema?.anyOf?.flatMap(words) ?? []).map(String);
  const types = words(definitions['field']?.properties?.['type']).filter(
    (type) => type !== 'relation',
  );
  const relations = words(definitions['attribute-relation']);
  return [
    '# Keys of plinth.yaml',
    '',
    '<!-- Made from src/specification/keys by `npm run documents`. -->',
    '',
    'All keys of `plinth.yaml`. Only `resources` is required. [The file](../specification.md) explains how the keys work',
    'together.',
    '',
    '- Any text may contain `${NAME}`, which is replaced with the environment variable `NAME`.',
    '- A time is `500ms`, `10s`, `5m` or `2h`; a bare number is milliseconds.',
    '- A size is `64kb` or `1MiB`; a bare number is bytes.',
    '- In the tables, `[]` stands for each item of a list and `<name>` for a name that you choose.',
    '',
    '## The file',
    '',
    ...tableOf(top.map(([key, schema]) => ({ key, schema }))),
    '## A resource',
    '',
    'The keys of each entry of `resources`. [Secure](../secure.md) shows how access rules are written.',
    '',
    ...tableOf(rowsOf(resolved({ $ref: '#/$defs/resource' }))),
    '## A field',
    '',
    `Each entry of \`fields\` has a \`type\` (${types.map(code).join(', ')}), and:`,
    '',
    ...attributesOf('field-', types, 'types'),
    'The field `id` takes `type: id`, `format` (`uuid` or `string`; without it the database counts integers),',
    '`description`, `example` and `column`.',
    '',
    '## A relation',
    '',
    `A field of \`type: relation\` has a \`relation\` (${relations.map(code).join(', ')}), and:`,
    '',
    ...attributesOf('field-relation-', relations, 'kinds'),
    ...parts,
  ].join('\n');

  function isSection(schema: Schema): boolean {
    return sections[nameOf(schema) ?? ''] !== undefined;
  }
}

const kindNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: '`true`, `false`',
  object: 'map',
};
function isPlain(kind: string): boolean {
  return kind === 'text' || kind === 'whole number';
}

/** Keys that say which kind of field it is. */
const fixed: ReadonlySet<string> = new Set(['type', 'relation']);
/** Keys of the file that have a section under another name. */
const apart: ReadonlySet<string> = new Set(['resources', 'groups', 'access']);

function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.split('/').at(-1);
}

/** On which of all kinds: those, or those that are left out where these are fewer. */
function kindsOf(on: ReadonlySet<string>, all: readonly string[]): string {
  if (on.size === all.length) return 'all';
  const others = all.filter((kind) => !on.has(kind));
  return on.size > others.length
    ? `all but ${others.map(code).join(', ')}`
    : [...on].map(code).join(', ');
}

function listed(value: unknown): string {
  return Array.isArray(value) ? value.map(code).join(', ') : code(value);
}
