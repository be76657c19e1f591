import { unknownOrInvalid } from './outcomes.ts';
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
  return problemOf(body, commentChecks, commentFields);
}

/** Why a change of a post is refused; undefined when it is not. */
export function postProblem(body: Body): Written | undefined {
  const fields = Object.keys(body);
  const bad = fields.find((name) => !postChecks[name]?.(body[name]));
  if (bad !== undefined) return unknownOrInvalid(bad);
  return fields.length === 0 ? unknownOrInvalid('body') : undefined;
}

const noteChecks: Readonly<Record<string, Check>> = {
  authorId: isWhole,
  body: (value) => isText(value) && String(value).length <= 2_000,
  writtenAt: isInstant,
  tags: (value) => Array.isArray(value) && value.every(isWhole),
};

/** What a note is written with, in the order of the columns, without its tags. */
export const noteFields: readonly string[] = ['authorId', 'body', 'writtenAt'];

const noteMembers = Object.keys(noteChecks);

/** Why a new note is refused; undefined when it is not. */
export function noteProblem(body: Body): Written | undefined {
  return problemOf(body, noteChecks, noteMembers);
}

function problemOf(
  body: Body,
  checks: Readonly<Record<string, Check>>,
  members: readonly string[],
): Written | undefined {
  for (const name in body) if (!(name in checks)) return unknownOrInvalid(name);
  const bad = members.find((name) => !checks[name]?.(body[name]));
  return bad === undefined ? undefined : unknownOrInvalid(bad);
}

/** The ids of the tags of a new note, each once. */
export function tagIds({ tags }: Body): readonly number[] {
  return [...new Set(tags as readonly number[])];
}
