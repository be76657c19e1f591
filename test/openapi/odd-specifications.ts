/** A specification, and the collections that have no room for one more record once it is filled. */
interface Odd {
  readonly text: string;
  readonly full: readonly string[];
}

/** Specifications with what is seldom met, whose documents have to be right all the same. */
export const oddSpecifications: Readonly<Record<string, Odd>> = {
  'one to one, all taken': {
    full: ['/v1/passports'],
    text: `resources:
  people:
    fields:
      name: { type: string, required: true }
      passport: { type: relation, relation: hasOne, resource: passports }
      desk: { type: relation, relation: hasOne, resource: desks }
  passports:
    fields:
      personId: { type: integer, required: true, reference: people.id }
      number: { type: string, unique: true, pattern: "^[A-Z]{2}[0-9]{6}$", required: true }
      person: { type: relation, relation: belongsTo, resource: people }
  desks:
    fields:
      personId: { type: integer, reference: people.id }
      person: { type: relation, relation: belongsTo, resource: people }
`,
  },
  'values that are distinct together, where only null is left': {
    full: [],
    text: `resources:
  shifts:
    unique: [[isEarly, kind]]
    fields:
      isEarly: { type: boolean }
      kind: { type: enum, values: [work, rest], required: true }
`,
  },
  'one to one, some free': {
    full: [],
    text: `generate: { count: 12 }
resources:
  people:
    generate: { count: 40 }
    fields: { name: { type: string, required: true } }
  passports:
    fields:
      personId: { type: integer, required: true, unique: true, reference: people.id }
      other: { type: integer, unique: true, reference: people.id }
`,
  },
  'values that run out': {
    full: ['/v1/colours', '/v1/shades'],
    text: `resources:
  colours:
    fields:
      name: { type: enum, values: [red, green, blue], unique: true, required: true }
      level: { type: integer, minimum: 1, maximum: 9, unique: true }
      twin: { type: enum, values: [a, b], unique: true, nullable: true }
  shades:
    unique: [[colourId, tone]]
    fields:
      colourId: { type: integer, required: true, reference: colours.id }
      tone: { type: enum, values: [dark, light], required: true }
      note: { type: string }
  spots:
    generate: { count: 4 }
    unique: [[colourId, tone]]
    fields:
      colourId: { type: integer, required: true, reference: colours.id }
      tone: { type: enum, values: [dark, light], required: true }
`,
  },
  'junctions, full and not': {
    full: ['/v1/post-tags'],
    text: `generate: { count: 4 }
resources:
  posts:
    fields:
      title: { type: string, required: true, maxLength: 10 }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags, withPivot: [rank] }
      friends: { type: relation, relation: belongsToMany, resource: posts, through: friendships, foreignKey: fromId }
  tags:
    fields: { label: { type: string, unique: true, required: true } }
  post-tags:
    generate: { count: 16 }
    fields:
      postId: { type: integer, required: true, reference: posts.id }
      tagId: { type: integer, required: true, reference: tags.id }
      rank: { type: integer, minimum: 0 }
  friendships:
    generate: { count: 12 }
    fields:
      fromId: { type: integer, required: true, reference: posts.id }
      toId: { type: integer, required: true, reference: posts.id }
`,
  },
  'so many for each': {
    full: ['/v1/profiles', '/v1/seats'],
    text: `resources:
  authors:
    generate: { count: 3 }
    fields: { name: { type: string, required: true } }
  books:
    generate: { per: author, min: 1, max: 4 }
    fields:
      title: { type: string, required: true }
      authorId: { type: integer, required: true }
      author: { type: relation, relation: belongsTo, resource: authors }
  profiles:
    generate: { per: author, min: 1, max: 1 }
    fields:
      authorId: { type: integer, required: true, unique: true }
      author: { type: relation, relation: belongsTo, resource: authors }
  seats:
    unique: [[authorId, row]]
    generate: { per: author, min: 2, max: 2 }
    fields:
      authorId: { type: integer, required: true }
      row: { type: enum, values: [a, b], required: true }
      author: { type: relation, relation: belongsTo, resource: authors }
`,
  },
  'ids that are texts, and nothing but them': {
    full: [],
    text: `resources:
  plain: { fields: {} }
  texts:
    fields:
      id: { type: id, format: string }
      next: { type: string, reference: texts.id, unique: true }
  uuids:
    fields:
      id: { type: id, format: uuid }
      textId: { type: string, reference: texts.id, required: true }
      parentId: { type: uuid, reference: uuids.id }
      parent: { type: relation, relation: belongsTo, resource: uuids, foreignKey: parentId }
      children: { type: relation, relation: hasMany, resource: uuids, foreignKey: parentId }
`,
  },
  'names like parameters': {
    full: [],
    text: `resources:
  select:
    table: select
    fields:
      limit: { type: integer, required: true }
      page: { type: string }
      sort: { type: enum, values: [a, "b,c", 'd"e', "f:g", " h "] }
      fields: { type: array, items: { type: string } }
      price: { type: decimal, scale: 3 }
      price_gte: { type: integer }
      data: { type: json }
  Get-List:
    fields:
      selectId: { type: integer, reference: select.id }
      select: { type: relation, relation: belongsTo, resource: select }
  get_list: { fields: { x: { type: time } } }
  error: { fields: { message: { type: string } } }
  errors: { fields: { message: { type: string } } }
`,
  },
  'rules at their edges': {
    full: [],
    text: `resources:
  things:
    fields:
      a: { type: integer, minimum: 9007199254740991, required: true }
      b: { type: number, exclusiveMinimum: 0, exclusiveMaximum: 0.0000001, required: true }
      c: { type: decimal, precision: 18, scale: 18, minimum: "0.999999999999999999", required: true }
      d: { type: string, minLength: 1, maxLength: 1, required: true }
      e: { type: array, items: { type: integer, minimum: 1, maximum: 3 }, minItems: 3, uniqueItems: true, required: true }
      f: { type: integer, multipleOf: 7, minimum: 1, required: true }
      g: { type: string, pattern: "^\\\\p{Lu}\\\\d+$", required: true }
      h: { type: object, required: true, properties: { k: { type: array, items: { type: object, properties: { z: { type: date, required: true } } }, minItems: 1, required: true }, o: { type: decimal } } }
      i: { type: string, required: true, nullable: true }
      j: { type: datetime, default: now, immutable: true }
      k: { type: integer, readOnly: true, default: 3 }
      l: { type: string, writeOnly: true, required: true, minLength: 12 }
      m: { type: number, enum: [0.1, 1.0e+21, -0] }
      n: { type: integer, enum: [-1, 0] }
      o: { type: string, enum: ["", "null", "true", "1"] }
      p: { type: json, required: true }
      q: { type: object }
      r: { type: uuid, default: uuid, unique: true }
      s: { type: array, items: { type: array, items: { type: boolean } } }
      t: { type: string, format: ipv6, unique: true }
      u: { type: string, maxLength: 0 }
`,
  },
  'owners of many kinds': {
    full: [],
    text: `resources:
  posts:
    fields:
      title: { type: string }
      notes: { type: relation, relation: morphMany, resource: notes, typeField: aboutType, idField: aboutId }
  people:
    fields:
      id: { type: id, format: uuid }
      notes: { type: relation, relation: morphMany, resource: notes, typeField: aboutType, idField: aboutId, typeValue: someone }
  notes:
    unique: [[aboutType, aboutId]]
    fields:
      body: { type: text, required: true }
      aboutType: { type: string, required: true }
      aboutId: { type: string, required: true }
      about: { type: relation, relation: morphTo, typeField: aboutType, idField: aboutId }
`,
  },
  'keys to other fields': {
    full: [],
    text: `resources:
  countries:
    fields:
      code: { type: string, unique: true, required: true, pattern: "^[A-Z]{2}$" }
  cities:
    fields:
      name: { type: string, required: true }
      countryCode: { type: string, reference: countries.code, required: true }
      country: { type: relation, relation: belongsTo, resource: countries, foreignKey: countryCode }
`,
  },
  'names that every object has': {
    full: [],
    text: `groups: { toString: [count, then] }
resources:
  constructor:
    groups: { hasOwnProperty: [label] }
    fields:
      label: { type: string, index: true }
      count: { type: integer }
      then: { type: object, properties: { length: { type: integer }, toJSON: { type: json } } }
      length: { type: json }
      prototype: { type: enum, values: [constructor, toString, __proto__, hasOwnProperty] }
      toJSON: { type: array, items: { type: string } }
      owner: { type: relation, relation: belongsTo, resource: toString }
      isArray: { type: relation, relation: hasMany, resource: valueOf, foreignKey: ownerId }
      links: { type: relation, relation: belongsToMany, resource: toString, through: then, withPivot: [length] }
      arguments: { type: relation, relation: morphMany, resource: prototype, typeValue: constructor }
  toString:
    fields:
      name: { type: string }
      links: { type: relation, relation: belongsToMany, resource: constructor, through: then }
      arguments: { type: relation, relation: morphMany, resource: prototype, typeValue: __proto__ }
  valueOf:
    fields: { ownerId: { type: integer, reference: constructor.id }, name: { type: string } }
  then:
    fields:
      constructorId: { type: integer, reference: constructor.id }
      toStringId: { type: integer, reference: toString.id }
      length: { type: integer }
  prototype:
    fields:
      call: { type: relation, relation: morphTo }
      apply: { type: decimal }
`,
  },
};
