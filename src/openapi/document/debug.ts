import { orNull, type JsonSchema } from './schema.ts';

const text: JsonSchema = { type: 'string' };
const flag: JsonSchema = { type: 'boolean' };
const number: JsonSchema = { type: 'number', minimum: 0 };
const duration: JsonSchema = { type: 'string', pattern: '^\\d+\\.\\d\\dms$' };
const anything: JsonSchema = { type: 'object', additionalProperties: true };
/** Parameters as they were sent: an array where one was repeated. */
const sent: JsonSchema = {
  type: 'object',
  additionalProperties: { anyOf: [text, { type: 'array', items: text }] },
};

function object(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const mapOf = (values: JsonSchema): JsonSchema => ({
  type: 'object',
  additionalProperties: values,
});

/** What was sent as a number; as text where it is none, of which an error tells. */
const numeral: JsonSchema = { type: ['integer', 'string'] };
const pagination: JsonSchema = {
  anyOf: [
    object({ page: numeral, limit: numeral }),
    object({ offset: numeral, limit: numeral }),
    object({ cursor: text, limit: numeral }),
    { type: 'null' },
  ],
};

/** How the data shown was made. See docs/contract/7-data-debug-dashboard.md#inspecting-data. */
const inspected = object({
  resource: text,
  schema: mapOf(anything),
  generation: object({
    seed: { type: 'integer' },
    locale: text,
    count: { type: 'integer', minimum: 0 },
  }),
  fields: mapOf(
    object({
      source: { type: 'string', enum: ['generated', 'written', 'default'] },
      generator: orNull(text),
      args: { description: 'As the specification says: of any type.' },
      template: orNull(text),
      transformations: listOf(text),
    }),
  ),
});

/** What debug parameters add to an answer. See docs/contract/7-data-debug-dashboard.md#debug-parameters. */
export const debugMembers: Readonly<Record<string, JsonSchema>> = {
  _debug: object({
    query: object({ filters: sent, sort: listOf(text), pagination }),
    timing: object({ total: duration, database: duration, processing: duration }),
    database: object(
      {
        server: text,
        lag: orNull(duration),
        queryCount: { type: 'integer', minimum: 0 },
        queries: listOf(
          object({ sql: orNull(text), duration, plan: orNull(listOf(text)), index: text }, [
            'plan',
            'index',
          ]),
        ),
      },
      ['server', 'lag'],
    ),
  }),
  _trace: listOf(
    object({ stage: text, time: { ...text, format: 'date-time' }, duration, details: anything }, [
      'details',
    ]),
  ),
  _network: object({
    latency: object({ applied: flag, min: number, max: number, actual: number }),
    errorRate: object({ applied: flag, rate: number, triggered: flag }),
    throttling: object({
      applied: flag,
      rate: number,
      originalSize: number,
      additionalDelay: number,
    }),
  }),
  _inspect: inspected,
  _verbose: object({
    request: object({ method: text, path: text, params: sent, query: sent }),
    error: object({ code: text, details: text, stack: text }),
  }),
};
