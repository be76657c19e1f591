import { randomFrom, type Random } from './random.ts';
import { counts } from './records.ts';

/** One request of a load. */
export type LoadRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: string;
};

/** The databases that are measured, each in a run of its own. */
export const databaseNames = ['sqlite', 'postgres'] as const;
export type DatabaseName = (typeof databaseNames)[number];

/** The names of the measured kinds of request. */
export type ShapeName = 'R1' | 'R2' | 'R3' | 'R4' | 'R5' | 'R6' | 'R7' | 'R8' | 'R10';

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
  /** `cursor`: of the page to read, where the shape reads by cursor. */
  readonly draw: (random: Random, cursor: string) => LoadRequest;
};

const commentsByRating = '/v1/comments?sort=-rating&limit=20';

/** Pages are drawn from the first 10,000 posts: deeper ones would only measure the database's OFFSET. */
const pages = 500;

const get = (path: string): LoadRequest => ({ method: 'GET', path });
const anyPage = (random: Random): number => 1 + random.below(pages);
const anyPost = (random: Random): number => 1 + random.below(counts.posts);

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
    draw: (_, cursor) => get(`${commentsByRating}&cursor=${cursor}`),
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
    draw: (random) => ({
      method: 'POST',
      path: '/v1/comments',
      body: JSON.stringify({
        postId: anyPost(random),
        authorId: 1 + random.below(counts.users),
        body: `a comment with the number ${random.below(1_000_000)}`,
        rating: 1 + random.below(5),
        approved: random.below(2) === 0,
        writtenAt: new Date(Date.UTC(2026, 0, 1) + random.below(86_400_000)).toISOString(),
      }),
    }),
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
];

/** Draws a number of requests of a shape; the same seed gives the same ones. */
export function drawRequests(
  shape: Shape,
  seed: number,
  count: number,
  cursor: string,
): LoadRequest[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => shape.draw(random, cursor));
}

/** The shape of that name. */
export function shapeNamed(name: ShapeName): Shape {
  const found = shapes.find((shape) => shape.name === name);
  if (found === undefined) throw new Error(`no shape ${name}`);
  return found;
}
