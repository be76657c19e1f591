import { breaks } from '../../../problem-rules.ts';
import type { FieldType } from '../../api.ts';
import { plain, shortest } from '../plain.ts';
import { accept, wrongType, wrongValue } from '../../values.ts';

/** A UUID of any version in lower case; undefined for other text. */
export function parseUuid(text: string): string | undefined {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu.test(text)
    ? text.toLowerCase()
    : undefined;
}

export const exampleUuid = '0198c0de-0000-7000-8000-000000000001';

export const uuidType: FieldType = {
  name: 'uuid',
  otherNames: ['guid'],
  attributes: ['described', 'column', 'scalar', 'drawnValues', 'template'],
  json: 'string',
  kind: 'uuid',
  // As they are kept: in lower case.
  allowed: ({ enum: listed }) =>
    listed && [...new Set(listed.map((value) => parseUuid(String(value)) ?? value))],
  drawn: { word: 'uuid' },
  comparison: 'order',
  sortable: true,
  read: (value) => {
    if (typeof value !== 'string')
      return wrongType('must be a UUID in a string', breaks('type', { expected: 'uuid' }));
    const uuid = parseUuid(value);
    return uuid === undefined
      ? wrongValue('must be a UUID', breaks('format', { format: 'uuid' }))
      : accept(uuid);
  },
  parse: parseUuid,
  expects: () => 'a UUID',
  sqlite: { column: () => 'TEXT', form: 'plain' },
  postgres: { column: () => 'uuid', form: 'plain' },
  forms: { plain },
  longest: () => shortest,
  schema: () => ({ type: 'string', format: 'uuid' }),
  wireName: () => 'uuid',
  examples: () => [exampleUuid],
  generated: 'uuid',
  recognition: {
    text: (text) => parseUuid(text) === text,
    sqlite: {
      condition: `c GLOB '${[8, 4, 4, 4, 12].map((count) => '[0-9a-f]'.repeat(count)).join('-')}'`,
      declared: /UUID|GUID/u,
      isOfTexts: true,
    },
  },
  fromDefault: parseUuid,
};
