import { expect } from 'vitest';
import type { SqliteDatabase } from '../../src/databases/sqlite/database.ts';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';

export const specification = `
resources:
  users:
    fields:
      name: { type: string, required: true, minLength: 2 }
      email: { type: email, unique: true }
      role: { type: enum, values: [admin, author], default: author }
      secret: { type: string, writeOnly: true }
      posts: { type: relation, relation: hasMany, resource: posts, foreignKey: authorId }
  posts:
    timestamps: true
    unique: [[authorId, slug]]
    fields:
      title: { type: string, required: true }
      slug: { type: string }
      views: { type: integer, default: 0, minimum: 0 }
      price: { type: decimal }
      publishedAt: { type: datetime, default: now }
      day: { type: date, default: now }
      clock: { type: time, default: now }
      token: { type: uuid, default: uuid }
      isbn: { type: string, immutable: true }
      hits: { type: integer, readOnly: true, default: 7 }
      hidden: { type: string, writeOnly: true, default: nobody }
      specs: { type: object, properties: { weight: { type: number }, unit: { type: string, default: kg } } }
      tags: { type: array, items: { type: string }, default: [new] }
      subtitle: { type: string, required: true, nullable: true }
      authorId: { type: integer, reference: users.id, required: true }
      author: { type: relation, relation: belongsTo, resource: users }
  labels:
    fields:
      id: { type: id, format: string }
      text: { type: string, required: true }
      parentId: { type: string, reference: labels.id, nullable: true }
  tokens:
    fields:
      id: { type: id, format: uuid }
      text: { type: string }
  counters: { fields: { id: { type: id } } }
  # A version that calls things otherwise.
api:
  versions:
    1: {}
    2: { resources: { posts: { fields: { headline: { from: title }, price: false, isbn: false } }, users: { fields: { mail: { from: email } } } } }
`;

export const moment = '2026-03-01T14:05:06.789Z';
export const later = '2026-03-01T14:05:07.000Z';

/** The least that a post needs. */
export const post = { title: 'a', subtitle: null, authorId: 1 };

/** A server with two users, and a clock that is set by hand. */
export interface Writes extends TestApi {
  time: string;
  /** Creates a record (a post, unless it says otherwise) and gives its path. */
  readonly created: (more?: object) => Promise<string>;
  /** One value as it lies in the database. */
  readonly stored: (sql: string) => unknown;
}

export async function serveWrites(): Promise<Writes> {
  const users = [{ name: 'Ada', email: 'ada@example.org' }, { name: 'Bob' }];
  const clock = { time: moment };
  const api = await serveBoth(specification, { users }, () => new Date(clock.time));
  const database = api.servedApi.database as SqliteDatabase;
  return Object.assign(clock, api, {
    created: async (more: object = {}) => {
      const answer = await api.send('POST', '/v1/posts', { ...post, ...more });
      expect(answer.status).toBe(201);
      return answer.headers.get('location') ?? '';
    },
    stored: (sql: string) => database.schemaConnection.prepare(sql).pluck().get(),
  });
}
