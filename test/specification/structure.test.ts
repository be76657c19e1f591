import { describe, expect, test } from 'vitest';
import { anyValue, attributeRows, fitting } from './attributes.ts';
import { keyRows } from './keys.ts';
import { resourceRows } from './resources.ts';
import { errorsIn, schemaAccepts } from './verdicts.ts';

/** A small right file in which the value at a path is given as YAML text. */
function fileWith(at: string, value: string): string {
  const steps = at.split('.');
  const lines = steps.map((step, depth) => `${'  '.repeat(depth)}${step}:`);
  const rest = at.startsWith('resources.posts.')
    ? at === 'resources.posts.fields'
      ? ''
      : '    fields: {}'
    : at === 'resources'
      ? ''
      : 'resources: { posts: { fields: {} } }';
  return `${lines.join('\n')} ${value}\n${rest}\n`;
}

/** A file with one field of a type and, given as YAML text, some attributes. */
function fileWithField(type: string, attributes: Readonly<Record<string, string>>): string {
  const [name = '', kind] = type.split(/,? /);
  const all: Record<string, string> = { type: name };
  if (name === 'relation' && kind !== undefined) {
    all['relation'] = kind;
    if (kind !== 'morphTo') all['resource'] = 'users';
    if (kind === 'belongsToMany') all['through'] = 'links';
  }
  if (name === 'enum' && !('values' in attributes) && !('enum' in attributes))
    all['values'] = '[a]';
  Object.assign(all, attributes);
  const lines = Object.entries(all).map(([attribute, value]) => `        ${attribute}: ${value}`);
  return `resources:\n  posts:\n    fields:\n      ${name === 'id' ? 'id' : 'x'}:\n${lines.join('\n')}\n`;
}

interface Verdicts {
  readonly good: readonly string[];
  readonly bad: readonly string[];
  readonly contradictions?: readonly string[];
}

/** Both the parser and the schema take the good values, and both refuse the bad ones, at the right place. */
function expectVerdicts(
  { good, bad, contradictions = [] }: Verdicts,
  path: string,
  write: (value: string) => string,
): void {
  for (const value of good) {
    const text = write(value);
    expect({ value, errors: errorsIn(text) }).toEqual({ value, errors: [] });
    expect({ value, schema: schemaAccepts(text) }).toEqual({ value, schema: true });
  }
  for (const value of [...bad, ...contradictions]) {
    const text = write(value);
    const paths = errorsIn(text).map((problem) => problem.path);
    expect({ value, refused: paths.length > 0 }).toEqual({ value, refused: true });
    for (const found of paths) expect(found.startsWith(path), `${value}: ${found}`).toBe(true);
    const schema = contradictions.includes(value);
    expect({ value, schema: schemaAccepts(text) }).toEqual({ value, schema });
  }
}

describe('every key of the file', () => {
  test.each([...keyRows, ...resourceRows])('$at', (row) => {
    expectVerdicts(row, row.at, (value) => fileWith(row.at, value));
  });
});

describe('every attribute of a field', () => {
  const rows = attributeRows.flatMap(({ types, ...row }) =>
    types.map((type) => ({ type, ...row })),
  );
  test.each(rows)('$attribute of $type', ({ type, attribute, ...row }) => {
    const name = type === 'id' ? 'id' : 'x';
    const path = `resources.posts.fields.${name}.${attribute}`;
    expectVerdicts(row, path, (value) => fileWithField(type, { [attribute]: value }));
  });
});

describe('attributes that fit a type, and no others', () => {
  test.each(Object.entries(fitting))('%s', (type, attributes) => {
    const fits = new Set(attributes.split(' '));
    for (const [attribute, value] of Object.entries(anyValue)) {
      if (attribute === 'relation' && type.startsWith('relation')) continue;
      if (attribute === 'values' && type === 'enum') continue;
      const text = fileWithField(type, { [attribute]: value });
      const misfits = errorsIn(text).filter(({ message }) => message.includes('does not fit'));
      expect({ attribute, fits: misfits.length === 0 }).toEqual({
        attribute,
        fits: fits.has(attribute),
      });
      if (!fits.has(attribute))
        expect({ attribute, schema: schemaAccepts(text) }).toEqual({ attribute, schema: false });
    }
  });

  test('every attribute is tried', () => {
    const known = new Set(Object.values(fitting).flatMap((names) => names.split(' ')));
    expect([...known].sort()).toEqual(Object.keys(anyValue).sort());
    expect([...new Set(attributeRows.map(({ attribute }) => attribute))].sort()).toEqual(
      [...known].filter((name) => name !== 'relation').sort(),
    );
  });
});

describe('what is required', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['type', '{ required: true }', ''],
    ['relation', '{ type: relation, resource: a }', ''],
    ['resource', '{ type: relation, relation: hasMany }', ''],
    ['resource', '{ type: relation, relation: hasOne }', ''],
    ['resource', '{ type: relation, relation: belongsTo }', ''],
    ['resource', '{ type: relation, relation: belongsToMany, through: a }', ''],
    ['through', '{ type: relation, relation: belongsToMany, resource: a }', ''],
    ['resource', '{ type: relation, relation: morphMany }', ''],
    ['nothing more', '{ type: relation, relation: morphTo }', 'good'],
    ['values', '{ type: enum }', ''],
    ['values or enum, not both', '{ type: enum, values: [a], enum: [a] }', ''],
    ['nothing more', '{ type: enum, enum: [a] }', 'good'],
    ['nothing more', '{ type: array }', 'good'],
    ['nothing more', '{ type: object }', 'good'],
    ['a known type', '{ type: strng }', ''],
    ['a known kind of relation', '{ type: relation, relation: hasAny, resource: a }', ''],
  ];
  test.each(rows)('%s: %s', (_, definition, verdict) => {
    const text = fileWith('resources.posts.fields', `{ x: ${definition} }`);
    expect(errorsIn(text).length === 0).toBe(verdict === 'good');
    expect(schemaAccepts(text)).toBe(verdict === 'good');
  });
});
