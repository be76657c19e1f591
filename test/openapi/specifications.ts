/** Every type of field with every constraint, and every kind of relation. */
export const everything = `
name: Everything & more <b>
description: All that a file can say.
groups: { short: [name, price] }
server: { publicUrl: "https://api.example.org/" }
api: { basePath: /api }
rateLimit: false
resources:
  things:
    description: Of every type.
    timestamps: true
    fields:
      name: { type: string, required: true, minLength: 2, maxLength: 20, pattern: "^[a-z ]+$", example: a name }
      slug: { type: string, format: slug, unique: true }
      host: { type: string, format: hostname }
      ip: { type: string, format: ipv4 }
      text: { type: text, description: "Long prose, with *marks*." }
      count: { type: integer, minimum: 3, maximum: 9, default: 4 }
      odd: { type: integer, enum: [1, 3, 5] }
      ratio: { type: number, exclusiveMinimum: 0, exclusiveMaximum: 1 }
      price: { type: decimal, scale: 2, precision: 6, minimum: 1 }
      on: { type: boolean, required: true }
      day: { type: date, default: now }
      at: { type: time }
      moment: { type: datetime, immutable: true }
      token: { type: uuid, default: uuid }
      mail: { type: email }
      link: { type: url }
      level: { type: enum, values: [low, high], default: low }
      level_gt: { type: integer }
      limit: { type: integer }
      secret: { type: string, writeOnly: true }
      hits: { type: integer, readOnly: true, default: 0 }
      specs: { type: object, properties: { weight: { type: number, required: true }, cost: { type: decimal }, size: { type: object, properties: { width: { type: integer } } } } }
      free: { type: object }
      extra: { type: json }
      words: { type: array, items: { type: string, minLength: 1 }, minItems: 1, maxItems: 3, uniqueItems: true }
      ownerId: { type: integer, reference: owners.id }
      parentId: { type: integer, reference: things.id }
      owner: { type: relation, relation: belongsTo, resource: owners, description: Whose it is. }
      parent: { type: relation, relation: belongsTo, resource: things, foreignKey: parentId }
      children: { type: relation, relation: hasMany, resource: things, foreignKey: parentId }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: thing-tags, withPivot: [position] }
      labels: { type: relation, relation: belongsToMany, resource: tags, through: thing-labels }
      notes: { type: relation, relation: morphMany, resource: notes }
  owners:
    pagination: cursor
    fields:
      id: { type: id, format: uuid }
      name: { type: string }
      badge: { type: relation, relation: hasOne, resource: badges }
      notes: { type: relation, relation: morphMany, resource: notes }
  badges:
    fields:
      id: { type: id, format: string }
      ownerId: { type: uuid, reference: owners.id }
      owner: { type: relation, relation: belongsTo, resource: owners }
  tags:
    fields:
      name: { type: string }
      things: { type: relation, relation: belongsToMany, resource: things, through: thing-tags }
  thing-tags:
    fields:
      thingId: { type: integer, reference: things.id }
      tagId: { type: integer, reference: tags.id }
      position: { type: integer, required: true }
  thing-labels:
    fields:
      thingId: { type: integer, reference: things.id }
      tagId: { type: integer, reference: tags.id }
  notes:
    fields:
      text: { type: string, required: true }
      aboutType: { type: string }
      aboutId: { type: string }
      about: { type: relation, relation: morphTo }
  errors:
    fields: { code: { type: string } }
`.replace(
  'ownerId: { type: integer, reference: owners.id }\n      parentId',
  'ownerId: { type: uuid, reference: owners.id }\n      parentId',
);

const hash = `sha256:${'0'.repeat(64)}`;

/** Who may do what differs by caller. */
export const guarded = `
name: Guarded
auth:
  jwt: { secret: "01234567890123456789012345678901", algorithms: [HS256] }
  apiKeys: [{ name: robot, hash: "${hash}", roles: [editor] }]
access: { read: [public, editor], write: editor }
resources:
  posts:
    fields:
      title: { type: string, required: true }
      cost: { type: decimal, access: { read: [admin], write: [admin] } }
      draftId: { type: integer, reference: drafts.id }
      draft: { type: relation, relation: belongsTo, resource: drafts }
  drafts:
    access: { read: editor, write: editor }
    fields: { title: { type: string } }
  inbox:
    access: { read: none, create: public, update: public, delete: none }
    fields: { text: { type: string, required: true } }
`;

/** Three versions of the same storage. */
export const versioned = `
name: Versioned
rateLimit: { max: 100, window: 60s }
network: { errorRate: 0.5 }
api:
  versions:
    1: { deprecated: 2026-01-01, sunset: 2099-01-01, link: "https://example.org/v2", resources: { posts: { fields: { headline: { from: title }, views: false } }, drafts: false } }
    2: {}
    3: { resources: { drafts: false } }
  defaultVersion: 2
resources:
  posts:
    fields:
      title: { type: string }
      views: { type: integer }
  drafts:
    fields: { title: { type: string } }
`;
