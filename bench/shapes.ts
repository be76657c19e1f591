import { randomFrom, type Random } from './random.ts';
import { counts } from './records.ts';

/** One request of a load. */
export type LoadRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: string;
  readonly ifMatch?: string;
  /** It is sent under an Idempotency-Key of its own each time. */
  readonly isKeyed?: true;
};

/** The databases that are measured, each in a run of its own. */
export const databaseNames = ['sqlite', 'postgres'] as const;
export type DatabaseName = (typeof databaseNames)[number];

/** The names of the measured kinds of request. */
export type ShapeName =
  | 'R1'
  | 'R2'
  | 'R3'
  | 'R4'
  | 'R5'
  | 'R6'
  | 'R7'
  | 'R8'
  | 'R10'
  | 'R11'
  | 'R12'
  | 'R13'
  | 'R14';

/** The name under which the stream of a large list is measured, by memory instead of by rate. */
export const streamName = 'R9';

/** A kind of request: its title in the report, the ratio that is wanted, and how one is drawn. */
export type Shape = {
  readonly name: ShapeName;
  readonly title: string;
  /** Plinth's rate, as a share of the other's, that counts as good; no aim is set where it is missing. */
  readonly wanted: Readonly<Partial<Record<DatabaseName, number>>>;
  /** Of a shape that reads by cursor: the list whose pages it reads. */
  readonly cursorList?: string;
  /** Its requests name the tags that posts have. */
  readonly isGuarded?: true;
  /** `known`: what `knownFor` gives. */
  readonly draw: (random: Random, known: string) => LoadRequest;
};

const commentsByRating = '/v1/comments?sort=-rating&limit=20';

/** Pages are drawn from the first 10,000 posts: deeper ones would only measure the database's OFFSET. */
const pages = 500;

const get = (path: string): LoadRequest => ({ method: 'GET', path });
const anyPage = (random: Random): number => 1 + random.below(pages);
const anyPost = (random: Random): number => 1 + random.below(counts.posts);

const anyMoment = (random: Random): string =>
  new Date(Date.UTC(2026, 0, 1) + random.below(86_400_000)).toISOString();

function newComment(random: Random): LoadRequest {
  return {
    method: 'POST',
    path: '/v1/comments',
    body: JSON.stringify({
      postId: anyPost(random),
      authorId: 1 + random.below(counts.users),
      body: `a comment with the number ${random.below(1_000_000)}`,
      rating: 1 + random.below(5),
      approved: random.below(2) === 0,
      writtenAt: anyMoment(random),
    }),
  };
}

/** How many posts are patched with `If-Match`. */
export const guardedPosts = 1_000;

/** The patch of one of them, which is always the same, so that its tag is known while many are under way. */
export function guardedPatch(id: number): LoadRequest {
  const body = { title: `a guarded title ${id}`, views: id, rating: (id % 51) / 10 };
  return { method: 'PATCH', path: `/v1/posts/${id}`, body: JSON.stringify(body) };
}

/** The tags that were known last: each is asked for by thousands of requests. */
let lastTags: { readonly known: string; readonly tags: readonly string[] } | undefined;

function tagOf(known: string, id: number): string {
  if (lastTags?.known !== known) lastTags = { known, tags: JSON.parse(known) as readonly string[] };
  return lastTags.tags[id - 1] ?? '';
}

const forLists = { sqlite: 0.9, postgres: 0.9 };

/** The measured kinds of request, reads first, so that the writes change nothing that they read. */
export const shapes: readonly Shape[] = [
  {
    name: 'R1',
    title: 'read by id',
    wanted: { sqlite: 0.75, postgres: 0.75 },
    draw: (random) => get(`/v1/posts/${anyPost(random)}`),
  },
  {
    name: 'R2',
    title: 'list of 20 with counts',
    wanted: forLists,
    draw: (random) => get(`/v1/posts?page=${anyPage(random)}&limit=20`),
  },
  {
    name: 'R3',
    title: 'filter, sort, count',
    wanted: forLists,
    draw: (random) => {
      const status = random.pick(['draft', 'published', 'archived']);
      return get(
        `/v1/posts?status=${status}&views_gte=${50_000 + random.below(50_000)}&sort=-views`,
      );
    },
  },
  {
    name: 'R4',
    title: 'list, to-one expanded',
    wanted: forLists,
    draw: (random) => get(`/v1/posts?expand=author&page=${anyPage(random)}`),
  },
  {
    name: 'R5',
    title: 'list, three relations',
    wanted: forLists,
    draw: (random) => get(`/v1/posts?expand=author,comments,tags&page=${anyPage(random)}`),
  },
  {
    name: 'R8',
    title: 'page 2,000 by cursor',
    wanted: forLists,
    cursorList: commentsByRating,
    draw: (_, known) => get(`${commentsByRating}&cursor=${known}`),
  },
  {
    name: 'R10',
    title: 'filter through a relation, count',
    wanted: forLists,
    draw: (random) => get(`/v1/posts?comments.rating_gte=4&page=${anyPage(random)}`),
  },
  {
    name: 'R6',
    title: 'create',
    wanted: { postgres: 0.9 },
    draw: newComment,
  },
  {
    name: 'R7',
    title: 'patch',
    wanted: { postgres: 0.9 },
    draw: (random) => ({
      method: 'PATCH',
      path: `/v1/posts/${anyPost(random)}`,
      body: JSON.stringify({
        title: `a changed title ${random.below(1_000_000)}`,
        views: random.below(100_000),
        rating: random.below(51) / 10,
      }),
    }),
  },
  {
    name: 'R11',
    title: 'patch with If-Match',
    wanted: { postgres: 0.6 },
    isGuarded: true,
    draw: (random, known) => {
      const id = 1 + random.below(guardedPosts);
      return { ...guardedPatch(id), ifMatch: tagOf(known, id) };
    },
  },
  {
    name: 'R12',
    title: 'create with three links',
    wanted: { postgres: 0.6 },
    draw: (random) => {
      const first = random.below(counts.tags);
      return {
        method: 'POST',
        path: '/v1/notes',
        body: JSON.stringify({
          authorId: 1 + random.below(counts.users),
          body: `a note with the number ${random.below(1_000_000)}`,
          writtenAt: anyMoment(random),
          tags: [0, 1, 2].map((step) => 1 + ((first + step * 7) % counts.tags)),
        }),
      };
    },
  },
  {
    name: 'R13',
    title: 'create under a key',
    wanted: { postgres: 0.6 },
    draw: (random) => ({ ...newComment(random), isKeyed: true }),
  },
  {
    name: 'R14',
    title: 'mixed: half R1, R2 to R7',
    wanted: { sqlite: 0.9, postgres: 0.9 },
    draw: (random) => shapeNamed(random.pick(mixed)).draw(random, ''),
  },
];

/** The shapes of a mixed load, as often as they are drawn: a tenth are writes. */
const mixed: readonly [ShapeName, ...ShapeName[]] = [
  'R1',
  ...Array.from({ length: 9 }, (): ShapeName => 'R1'),
  ...(['R2', 'R2', 'R3', 'R3', 'R4', 'R4', 'R5', 'R5', 'R6', 'R7'] as const),
];

/** Draws a number of requests of a shape; the same seed gives the same ones. */
export function drawRequests(
  shape: Shape,
  seed: number,
  count: number,
  known: string,
): LoadRequest[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => shape.draw(random, known));
}

/** The shape of that name. */
export function shapeNamed(name: ShapeName): Shape {
  const found = shapes.find((shape) => shape.name === name);
  if (found === undefined) throw new Error(`no shape ${name}`);
  return found;
}
