import { breaks, onlyOf, type BrokenRule } from '../../problem-rules.ts';
import { apiError, fail, ok, type FieldProblem, type Result } from '../../errors.ts';
import { isJsonObject } from '../../model/values.ts';

/** One write of a batch. */
export interface BatchOperation {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if there is none. */
  readonly body: unknown;
  /** The name by which later operations refer to its answer. */
  readonly as: string | undefined;
}

const methods = ['POST', 'PUT', 'PATCH', 'DELETE'];
const members = ['method', 'path', 'headers', 'body', 'as'];
/** The headers of one operation, and what is not said for the batch as a whole. */
const headerNames = new Set(['if-match', 'if-none-match', 'prefer', 'content-type']);

/** Reads the operations of a batch. Reports every problem at once. See docs/contract/3-writing.md#batches. */
export function readBatch(body: unknown, most: number): Result<readonly BatchOperation[]> {
  if (!Array.isArray(body) || body.length === 0)
    return fail(apiError('INVALID_BODY', 'The body must be an array of one operation or more'));
  if (body.length > most)
    return fail(
      apiError(
        'LIMIT_EXCEEDED',
        `A batch takes at most ${most} operations (limits.batchItems); this one has ${body.length}`,
      ),
    );
  const problems: FieldProblem[] = [];
  const names = new Set<string>();
  const operations = (body as readonly unknown[]).map((item, index) => {
    const note: Note = (member, message, broken) => {
      problems.push({ field: `[${index}]${member}`, message, ...broken });
    };
    if (!isJsonObject(item)) {
      note('', 'must be an object with method and path', breaks('type', { expected: 'object' }));
      return undefined;
    }
    for (const key of Object.keys(item))
      if (!members.includes(key))
        note(`.${key}`, `only ${members.join(', ')} can stand here`, onlyOf(members));
    const { method, path, headers = {}, as } = item;
    if (typeof method !== 'string' || !methods.includes(method))
      note('.method', `must be one of ${methods.join(', ')}`, breaks('enum', { values: methods }));
    if (typeof path !== 'string' || !path.startsWith('/'))
      note(
        '.path',
        'must be the path of a resource or record, such as "/orders/1"',
        breaks('format', { format: 'path' }),
      );
    if (as !== undefined && (typeof as !== 'string' || !/^[A-Za-z_]\w*$/u.test(as)))
      note('.as', 'must be a name of letters, digits and _', breaks('format', { format: 'name' }));
    else if (typeof as === 'string') {
      if (names.has(as))
        note('.as', `${as} is the name of another operation, too`, breaks('conflict'));
      names.add(as);
    }
    return {
      method: String(method),
      path: String(path),
      headers: readHeaders(headers, note),
      body: item['body'],
      as: typeof as === 'string' ? as : undefined,
    };
  });
  if (problems.length > 0)
    return fail(apiError('VALIDATION_FAILED', 'Validation failed', { problems }));
  return ok(operations.filter((one) => one !== undefined));
}

type Note = (member: string, message: string, broken: BrokenRule) => void;

function readHeaders(headers: unknown, note: Note): Readonly<Record<string, string>> {
  if (!isJsonObject(headers)) {
    note('.headers', 'must be an object', breaks('type', { expected: 'object' }));
    return {};
  }
  const read: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!headerNames.has(name.toLowerCase()))
      note(
        `.headers.${name}`,
        'only If-Match, If-None-Match, Prefer and Content-Type can stand here',
        onlyOf(['If-Match', 'If-None-Match', 'Prefer', 'Content-Type']),
      );
    else if (typeof value !== 'string')
      note(`.headers.${name}`, 'must be a string', breaks('type', { expected: 'string' }));
    else read[name.toLowerCase()] = value;
  }
  return read;
}

/** `{order.id}`: a member of an earlier answer. */
const reference = /^\{([A-Za-z_]\w*)\.([\w.-]+)\}$/u;

/** What references of a batch lead to. */
export interface Answers {
  /** Earlier answers by name. */
  readonly byName: Map<string, unknown>;
  /** How many characters of JSON references may still bring. Otherwise a short batch could write gigabytes. */
  left: number;
}

/**
 * Replaces references in the path and body of an operation by what earlier answers hold; or says which lead nowhere. Once
 * `answers.left` is negative, the result is incomplete.
 */
export function resolveReferences(
  { path, body, ...operation }: BatchOperation,
  answers: Answers,
): Result<BatchOperation, readonly FieldProblem[]> {
  const problems: FieldProblem[] = [];
  const resolve = (value: unknown, place: string): unknown => {
    if (typeof value === 'string') return memberOf(value, place, answers, problems);
    if (Array.isArray(value))
      return value.map((item, index) => resolve(item, `${place}[${index}]`));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [
        name,
        resolve(part, place === '' ? name : `${place}.${name}`),
      ]),
    );
  };
  const [target = '', ...query] = path.split('?');
  const segments = target.split('/').map((segment) => {
    const value = memberOf(segment, 'path', answers, problems);
    if (value === segment || value === undefined) return segment;
    if (typeof value === 'string') return encodeURIComponent(value);
    const isSimple = value !== null && !Array.isArray(value) && !isJsonObject(value);
    if (!isSimple)
      problems.push({
        field: 'path',
        message: `${segment}: is neither a text nor a number`,
        ...breaks('type', { expected: 'string' }),
      });
    return JSON.stringify(value);
  });
  const resolved = resolve(body, '');
  if (problems.length > 0) return fail(problems);
  return ok({ ...operation, path: [segments.join('/'), ...query].join('?'), body: resolved });
}

/** Whether the path of an operation has a reference, so that nobody knows yet which record it names. */
export function refersInPath({ path }: BatchOperation): boolean {
  const [target = ''] = path.split('?');
  return target.split('/').some((segment) => reference.test(segment));
}

/** A body as far as it is known before the operations that it refers to. */
export interface Unresolved {
  /** The body without references, and, for a body that makes no sense so, without all that has one in it. */
  readonly bodies: readonly unknown[];
  /** What was sent, by path: the references, and all that has one in it. */
  readonly sent: ReadonlyMap<string, unknown>;
}

export function withoutReferences(body: unknown): Unresolved {
  const sent = new Map<string, unknown>();
  const fine = known(body, '', sent);
  if (sent.size === 0) return { bodies: [body], sent };
  const coarse = (item: unknown, path: string): unknown =>
    isJsonObject(item)
      ? Object.fromEntries(Object.entries(item).filter(([name]) => !sent.has(`${path}${name}`)))
      : undefined;
  const whole = Array.isArray(body)
    ? body.map((item: unknown, index) => coarse(item, `[${index}].`))
    : coarse(body, '');
  return { bodies: [fine, whole], sent };
}

/** A value without references; undefined if nothing of it is known. */
function known(value: unknown, path: string, sent: Map<string, unknown>): unknown {
  let left: unknown = value;
  if (typeof value === 'string') left = reference.test(value) ? undefined : value;
  else if (Array.isArray(value)) {
    const items = value as readonly unknown[];
    const parts = items.map((item, index) => known(item, `${path}[${index}]`, sent));
    const missing = parts.filter((part) => part === undefined).length;
    // The places of records in their lists tell them apart.
    if (missing > 0) left = items.some(isJsonObject) ? undefined : parts.filter(isKnown);
    else if (parts.some((part, index) => part !== items[index])) left = parts;
  } else if (isJsonObject(value)) {
    const parts = Object.entries(value).map(
      ([name, part]) =>
        [name, part, known(part, path === '' ? name : `${path}.${name}`, sent)] as const,
    );
    if (parts.some(([, part, own]) => part !== own))
      left = Object.fromEntries(
        parts.flatMap(([name, , own]) => (own === undefined ? [] : [[name, own] as const])),
      );
  }
  if (left !== value) sent.set(path, value);
  return left;
}

function isKnown(value: unknown): boolean {
  return value !== undefined;
}

function memberOf(
  text: string,
  place: string,
  answers: Answers,
  problems: FieldProblem[],
): unknown {
  const [, name, members = ''] = reference.exec(text) ?? [];
  if (name === undefined || answers.left < 0) return text;
  if (!answers.byName.has(name)) {
    problems.push({
      field: place,
      message: `${text}: no earlier operation is named ${name}`,
      ...breaks('reference', { resource: undefined }),
    });
    return text;
  }
  let value: unknown = answers.byName.get(name);
  for (const member of members.split('.'))
    value = isJsonObject(value) && Object.hasOwn(value, member) ? value[member] : undefined;
  if (value === undefined)
    problems.push({
      field: place,
      message: `${text}: the answer of ${name} has no ${members}`,
      ...breaks('reference', { resource: undefined }),
    });
  else answers.left -= JSON.stringify(value).length;
  return value;
}
