import { expect, test } from 'vitest';
import { readDefault } from '../../src/execute/introspect/expressions.ts';
import type { JsonValue } from '../../src/spec/specification.ts';

const value = (one: JsonValue): unknown => ({ kind: 'value', value: one });
const [now, uuid, unknown] = ['now', 'uuid', 'unknown'].map((kind) => ({ kind }));

// Defaults as PostgreSQL and SQLite write them, also those that a migration has put casts around.
test.each([
  ['0', value(0)],
  ['(-1)', value(-1)],
  ["'-1'::integer", value('-1')],
  ['((0)::smallint)::bigint', value(0)],
  ["('-1'::integer)::bigint", value('-1')],
  ["(('0.50'::text)::numeric(5,2))::numeric(18,2)", value('0.50')],
  ["('it''s'::character varying(9))::text", value("it's")],
  [`('a'::"My type")::text`, value('a')],
  [`('a'::shop."My ""type""")::text`, value('a')],
  ["('a::(x)'::text)", value('a::(x)')],
  ["')('::text", value(')(')],
  ["''", value('')],
  ['true', value(true)],
  ['(false)::boolean', value(false)],
  ['NULL::character varying', value(null)],
  ["'2020-01-01 08:00:00+00'::timestamp(3) with time zone", value('2020-01-01 08:00:00+00')],
  ["'{}'::jsonb", value('{}')],
  ["to_jsonb('{}'::text[])", value('[]')],
  ["to_jsonb('{1}'::integer[])", unknown],
  ['to_jsonb(ARRAY[]::text[])', value('[]')],
  ["'{}'::text[]", value([])],
  ["('{}'::text[])::character varying(9)[]", value([])],
  [`'{a,"b, ''\\"\\\\",NULL,"NULL",it''s}'::text[]`, value(['a', `b, '"\\`, null, 'NULL', "it's"])],
  [`'{ghost}'::shop."My role"[]`, value(['ghost'])],
  ["'{{a},{b}}'::text[]", value('{{a},{b}}')],
  ["'[0:1]={a,b}'::text[]", value('[0:1]={a,b}')],
  ['ARRAY[]::text[]', value([])],
  ['ARRAY[1, -2, 3.5]', value([1, -2, 3.5])],
  [`ARRAY['USER'::"Role", 'a, b'::"Role", NULL::"Role"]`, value(['USER', 'a, b', null])],
  ["(ARRAY['a'::character varying, ''::character varying])::text[]", value(['a', ''])],
  ['ARRAY[ARRAY[1], ARRAY[2]]', unknown],
  ['ARRAY[now()]', unknown],
  ['ARRAY[(1 + 1)]', unknown],
  ["ARRAY['a'::text] || ARRAY['b'::text]", unknown],
  ['now()', now],
  ['(now())::timestamp(3) with time zone', now],
  [
    "(((now())::timestamp without time zone AT TIME ZONE 'UTC'::text))::timestamp(3) with time zone",
    now,
  ],
  ["((now() AT TIME ZONE 'utc'::text) AT TIME ZONE 'UTC'::text)", now],
  ["(now() AT TIME ZONE 'Asia/Tokyo'::text)", unknown],
  ['(CURRENT_TIMESTAMP)::timestamp(3) with time zone', now],
  ["('now'::text)::date", now],
  ["'now'", value('now')],
  ['gen_random_uuid()', uuid],
  ['(gen_random_uuid())::uuid', uuid],
  ['((1 + 1))::bigint', unknown],
  ['(1) + (1)', unknown],
  ["('a'::text || 'b'::text)", unknown],
  ["lower('A'::text)", unknown],
  ["nextval('t_id_seq'::regclass)", unknown],
  ['((', unknown],
  ["'a", unknown],
  ['', unknown],
])('the default %s is %o', (expression, expected) => {
  expect(readDefault(expression)).toEqual(expected);
});
