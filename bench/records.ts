import { randomFrom, type Random } from './random.ts';

/** How many records of each resource the data set has. */
export const counts = {
  users: 1_000,
  posts: 50_000,
  comments: 200_000,
  tags: 200,
  'post-tags': 150_000,
} as const;

/** A resource of the blog, in an order in which foreign keys always point back. */
export type BlogResource = keyof typeof counts;

const words = (
  'amber bright calm deep early faint gentle hollow idle jagged keen lucid mellow narrow ' +
  'open plain quiet rapid silent tidal upper vivid warm young zesty anchor bridge canyon ' +
  'desert engine forest garden harbor island journey kettle lantern meadow needle ' +
  'orchard pocket quarry river summit timber valley window yard and the with under over ' +
  'from of into after before'
).split(' ');

const day = 86_400_000;
const epoch = Date.UTC(2020, 0, 1);

function phrase(random: Random, length: number): string {
  let text = word(random);
  for (let index = 1; index < length; index++) text += ` ${word(random)}`;
  return text;
}

function word(random: Random): string {
  return words[random.below(words.length)] ?? '';
}

function moment(random: Random): string {
  const time = epoch + random.below(2_000) * day + random.below(day);
  return new Date(time).toISOString();
}

function user(random: Random, id: number): object {
  const name = phrase(random, 2);
  return {
    id,
    name,
    email: `user${id}@example.com`,
    role: random.pick(['reader', 'author', 'editor']),
    active: random.below(10) > 0,
    joinedAt: moment(random),
  };
}

function post(random: Random, id: number): object {
  const status = random.pick(['draft', 'published', 'published', 'published', 'archived']);
  return {
    id,
    title:
      random.below(100) === 0 ? `“café” ${phrase(random, 4)}` : phrase(random, 4 + random.below(4)),
    slug: `post-${id}-${random.below(100_000)}`,
    body: phrase(random, 30 + random.below(40)),
    status,
    views: random.below(100_000),
    rating: random.below(8) === 0 ? null : random.below(51) / 10,
    publishedAt: status === 'draft' ? null : moment(random),
    authorId: 1 + random.below(counts.users),
  };
}

function comment(random: Random, id: number): object {
  return {
    id,
    postId: 1 + random.below(counts.posts),
    authorId: 1 + random.below(counts.users),
    body: phrase(random, 8 + random.below(16)),
    rating: random.below(4) === 0 ? null : 1 + random.below(5),
    approved: random.below(5) > 0,
    writtenAt: moment(random),
  };
}

function tag(random: Random, id: number): object {
  return { id, name: `${word(random)} ${id}`, slug: `tag-${id}` };
}

/** A post's tags: a random first one and steps of 1 to 66, so no pair comes twice. */
function links(): (random: Random, id: number) => object {
  const perPost = counts['post-tags'] / counts.posts;
  let tagId = 0;
  return (random, id) => {
    const first = (id - 1) % perPost === 0;
    tagId = first ? random.below(counts.tags) : (tagId + 1 + random.below(66)) % counts.tags;
    return { id, postId: Math.ceil(id / perPost), tagId: tagId + 1 };
  };
}

/** The records of one resource, ids 1 to n; the same in every run. */
export function* recordsOf(resource: BlogResource): Generator<object> {
  const make = { users: user, posts: post, comments: comment, tags: tag, 'post-tags': links() };
  const random = randomFrom(Object.keys(counts).indexOf(resource) + 1);
  for (let id = 1; id <= counts[resource]; id++) yield make[resource](random, id);
}
