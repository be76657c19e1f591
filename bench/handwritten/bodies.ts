import type { Body, Written } from './store.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string' && value.isWellFormed();
const isWhole: Check = (value) => Number.isSafeInteger(value);
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const isInstant: Check = (value) =>
  typeof value === 'string' && instant.test(value) && !Number.isNaN(Date.parse(value));
const isWithin =
  (low: number, high: number): Check =>
  (value) =>
    typeof value === 'number' && value >= low && value <= high;
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || value === undefined || check(value);

const commentChecks: Readonly<Record<string, Check>> = {
  postId: isWhole,
  authorId: isWhole,
  body: (value) => isText(value) && String(value).length <= 2_000,
  rating: orNull((value) => isWhole(value) && isWithin(1, 5)(value)),
  approved: (value) => typeof value === 'boolean',
  writtenAt: isInstant,
};
const postChecks: Readonly<Record<string, Check>> = {
  title: (value) => isText(value) && String(value).length <= 160,
  slug: (value) => isText(value) && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(String(value)),
  body: isText,
  status: (value) => value === 'draft' || value === 'published' || value === 'archived',
  views: (value) => isWhole(value) && Number(value) >= 0,
  rating: orNull(isWithin(0, 5)),
  publishedAt: orNull(isInstant),
  authorId: isWhole,
};

/** What a comment is written with, in the order of the columns. */
export const commentFields: readonly string[] = Object.keys(commentChecks);

/** Why a new comment is refused; undefined when it is not. */
export function commentProblem(body: Body): Written | undefined {
  for (const name in body) if (!(name in commentChecks)) return wrong(name);
  const bad = commentFields.find((name) => !commentChecks[name]?.(body[name]));
  return bad === undefined ? undefined : wrong(bad);
}

/** Why a change of a post is refused; undefined when it is not. */
export function postProblem(body: Body): Written | undefined {
  const fields = Object.keys(body);
  const bad = fields.find((name) => !postChecks[name]?.(body[name]));
  if (bad !== undefined) return wrong(bad);
  return fields.length === 0 ? wrong('body') : undefined;
}

const noteChecks: Readonly<Record<string, Check>> = {
  authorId: isWhole,
  body: (value) => isText(value) && String(value).length <= 2_000,
  writtenAt: isInstant,
  tags: (value) => Array.isArray(value) && value.every(isWhole),
};

/** What a note is written with, in the order of the columns, without its tags. */
export const noteFields: readonly string[] = ['authorId', 'body', 'writtenAt'];

/** Why a new note is refused; undefined when it is not. */
export function noteProblem(body: Body): Written | undefined {
  for (const name in body) if (!(name in noteChecks)) return wrong(name);
  const bad = Object.keys(noteChecks).find((name) => !noteChecks[name]?.(body[name]));
  return bad === undefined ? undefined : wrong(bad);
}

/** The ids of the tags of a new note, each once. */
export function tagIds({ tags }: Body): readonly number[] {
  return [...new Set(tags as readonly number[])];
}

/** The record is not the one that `If-Match` names. */
export const changed: Written = {
  status: 412,
  code: 'PRECONDITION_FAILED',
  message: 'The record has changed',
};

/** The key was used for another request. */
export const mismatch: Written = {
  status: 422,
  code: 'IDEMPOTENCY_MISMATCH',
  message: 'Another request was made under this key',
};

/** The record to change is not there. */
export const missing: Written = {
  status: 404,
  code: 'RESOURCE_NOT_FOUND',
  message: 'No such record',
};

/** The database has refused the record. */
export const refused: Written = {
  status: 422,
  code: 'INVALID_VALUE',
  message: 'Not unique, or points nowhere',
};

function wrong(name: string): Written {
  return { status: 400, code: 'VALIDATION_FAILED', message: `${name} is unknown or not valid` };
}
