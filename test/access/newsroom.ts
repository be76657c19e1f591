import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';

/** Resources with row rules of every kind, between which every kind of relation leads. */
export const newsroom = `
${withTokens}
resources:
  users:
    access: { read: [{ where: "team={user.team}" }, admin], write: admin }
    fields:
      name: { type: string }
      team: { type: string }
      salary: { type: integer, access: { read: admin, write: admin } }
      posts: { type: relation, relation: hasMany, resource: posts, foreignKey: authorId }
      desk: { type: relation, relation: hasOne, resource: desks, foreignKey: userId }
      notes: { type: relation, relation: morphMany, resource: notes, onDelete: cascade }
  desks:
    access: { read: [{ role: public, where: "free=true" }, admin], write: admin }
    fields:
      floor: { type: integer }
      free: { type: boolean }
      userId: { type: integer, nullable: true, reference: users.id }
  posts:
    access:
      read: [{ role: public, where: "status=published" }, { role: author, where: "authorId={user.sub}" }, editor]
      create: [{ role: author, where: "authorId={user.sub}" }, editor]
      write: [{ role: author, where: "authorId={user.sub}&status=draft" }, editor]
    fields:
      title: { type: string }
      status: { type: enum, values: [draft, published], default: draft }
      authorId: { type: integer, reference: users.id, onDelete: restrict }
      author: { type: relation, relation: belongsTo, resource: users }
      comments: { type: relation, relation: hasMany, resource: comments, foreignKey: postId }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags, withPivot: [position] }
      notes: { type: relation, relation: morphMany, resource: notes, onDelete: cascade }
  comments:
    access:
      read: [{ role: public, where: "approved=true" }, editor]
      create: public
      write: editor
    fields:
      text: { type: string }
      approved: { type: boolean, default: false, access: { write: editor } }
      postId: { type: integer, reference: posts.id, onDelete: restrict }
      post: { type: relation, relation: belongsTo, resource: posts }
  tags:
    access: { read: [{ role: public, where: "secret=false" }, editor], write: editor }
    fields:
      name: { type: string, unique: true }
      secret: { type: boolean, default: false }
      posts: { type: relation, relation: belongsToMany, resource: posts, through: post-tags }
  post-tags:
    access:
      read: [{ role: public, where: "position_gte=0" }, editor]
      create: [{ role: author, where: "post.authorId={user.sub}&position_lt=100" }, editor]
      write: [{ role: author, where: "post.authorId={user.sub}&position_neq=7" }, editor]
    fields:
      postId: { type: integer, required: true, reference: posts.id }
      tagId: { type: integer, required: true, reference: tags.id }
      position: { type: integer, default: 0 }
      post: { type: relation, relation: belongsTo, resource: posts }
  notes:
    access: { read: [{ role: public, where: "text_neq=hidden" }, editor], write: editor }
    fields:
      text: { type: string }
      onType: { type: string, nullable: true }
      onId: { type: integer, nullable: true }
      on: { type: relation, relation: morphTo, typeField: onType, idField: onId }
  messages:
    access: { read: none, create: public, update: [{ role: public, where: "open=true" }], delete: none }
    fields:
      text: { type: string }
      open: { type: boolean, default: true }
      authorId: { type: integer, nullable: true, reference: users.id }
`;

/** Who asks; nobody sends no credentials. */
export const callers = {
  nobody: {},
  ann: caller({ sub: '1', roles: ['author'], team: 'red' }),
  bob: caller({ sub: 2, roles: ['author'], team: ['red', 'green'] }),
  cid: caller({ sub: '3', roles: ['author'], team: [] }),
  eve: caller({ sub: 'eve', roles: ['author'] }),
  editor: caller({ sub: '9', roles: ['editor'], team: 'red' }),
  root: caller({ sub: 'root', roles: ['editor', 'admin'] }),
} as const;

export type Who = keyof typeof callers;

export const newsroomRecords = {
  users: [
    { name: 'Ann', team: 'red', salary: 10 },
    { name: 'Bob', team: 'red', salary: 20 },
    { name: 'Cid', team: 'blue', salary: 30 },
  ],
  desks: [
    { floor: 1, free: true, userId: 1 },
    { floor: 2, free: false, userId: 2 },
  ],
  posts: [
    { title: 'a', status: 'published', authorId: 1 },
    { title: 'b', status: 'draft', authorId: 1 },
    { title: 'c', status: 'draft', authorId: 2 },
    { title: 'd', status: 'published', authorId: 2 },
    { title: 'e', status: 'published', authorId: 3 },
  ],
  comments: [
    { text: 'yes', approved: true, postId: 1 },
    { text: 'no', approved: false, postId: 1 },
    { text: 'well', approved: true, postId: 3 },
    { text: 'hm', approved: false, postId: 4 },
  ],
  tags: [{ name: 'open' }, { name: 'secret', secret: true }, { name: 'late' }],
  'post-tags': [
    { postId: 1, tagId: 1, position: 1 },
    { postId: 1, tagId: 2, position: 2 },
    { postId: 1, tagId: 3, position: -1 },
    { postId: 2, tagId: 1, position: 1 },
    { postId: 2, tagId: 2, position: 2 },
    { postId: 3, tagId: 3, position: 1 },
  ],
  notes: [
    { text: 'seen', onType: 'posts', onId: 1 },
    { text: 'hidden', onType: 'posts', onId: 1 },
    { text: 'of a draft', onType: 'posts', onId: 3 },
    { text: 'of a user', onType: 'users', onId: 3 },
  ],
  messages: [{ text: 'open' }, { text: 'shut', open: false }],
};

/** Serves it over both databases, with records. */
export async function serveNewsroom(): Promise<Both> {
  const both = await serveBoth(newsroom);
  for (const [resource, list] of Object.entries(newsroomRecords)) {
    const { status, text } = await both.send('POST', `/v1/${resource}`, list, callers.root);
    if (status !== 201) throw new Error(`${resource}: ${text}`);
  }
  return both;
}

/** Everything that there is to read, as the one sees it who may read everything. */
export async function everything({ get }: Both): Promise<string> {
  const paths = Object.keys(newsroomRecords)
    .filter((name) => name !== 'messages')
    .map((name) => `/v1/${name}`);
  const texts: string[] = [];
  for (const path of paths) texts.push((await get(path, callers.root)).text);
  return texts.join('\n');
}
