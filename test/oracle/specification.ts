/** Every field type, every kind of relation, ids of every format, names that look like parameters; limits to be met. */
export const specification = `
limits:
  { defaultLimit: 8, maxLimit: 40, defaultDepth: 2, maxDepth: 4, expandedItems: 5, responseItems: 300, inItems: 6, sorts: 40, filters: 200 }
groups: { brief: [name, title, text, rating] }
resources:
  people:
    fields:
      id: { type: id, format: uuid }
      name: { type: string }
      nick: { type: string }
      born: { type: date }
      score: { type: number }
      address:
        type: object
        properties:
          city: { type: string }
          floor: { type: integer }
          place: { type: object, properties: { code: { type: string }, tall: { type: number } } }
      bossId: { type: uuid, reference: people.id }
      boss: { type: relation, relation: belongsTo, resource: people, foreignKey: bossId }
      staff: { type: relation, relation: hasMany, resource: people, foreignKey: bossId }
      profile: { type: relation, relation: hasOne, resource: profiles, foreignKey: personId }
      things: { type: relation, relation: hasMany, resource: things, foreignKey: ownerId, sort: "-flag,owner.score,name" }
      reviews: { type: relation, relation: hasMany, resource: reviews, foreignKey: authorId }
      notes: { type: relation, relation: morphMany, resource: notes, typeValue: person }
  profiles:
    fields:
      personId: { type: uuid, reference: people.id }
      person: { type: relation, relation: belongsTo, resource: people, foreignKey: personId }
      title: { type: text }
      level: { type: integer }
      settings: { type: json }
      reviews: { type: relation, relation: morphMany, resource: reviews, typeValue: profiles, onDelete: cascade }
  places:
    fields:
      title: { type: text }
      tall: { type: number }
      opens: { type: time }
      codes: { type: array, items: { type: integer } }
      reviews: { type: relation, relation: morphMany, resource: reviews, typeValue: places, onDelete: cascade }
  labels:
    sort: -weight,things.real,title
    groups: { brief: [weight] }
    fields:
      id: { type: id, format: string }
      title: { type: string }
      weight: { type: integer }
      colour: { type: enum, values: [red, green, "old blue"] }
      words: { type: array, items: { type: string } }
      things: { type: relation, relation: belongsToMany, resource: things, through: thing-labels }
      notes: { type: relation, relation: morphMany, resource: notes, typeValue: labels }
  things:
    fields:
      name: { type: string }
      prose: { type: text }
      mail: { type: email }
      site: { type: url }
      whole: { type: integer }
      real: { type: number }
      price: { type: decimal, precision: 10, scale: 2 }
      large: { type: decimal, precision: 18, scale: 4 }
      flag: { type: boolean }
      day: { type: date }
      clock: { type: time }
      moment: { type: datetime }
      token: { type: uuid }
      kind: { type: enum, values: [draft, live, "old one"] }
      size: { type: string, enum: [s, m, l] }
      spec:
        type: object
        properties:
          code: { type: string }
          width: { type: integer }
          cost: { type: decimal, scale: 3 }
          fresh: { type: boolean }
          made: { type: date }
          inner:
            type: object
            properties: { depth: { type: number }, tags: { type: array, items: { type: string } }, width_gt: { type: integer } }
      free: { type: object }
      extra: { type: json }
      words: { type: array, items: { type: string } }
      numbers: { type: array, nullable: false, required: true, items: { type: integer } }
      prices: { type: array, items: { type: decimal, scale: 2 } }
      pieces:
        type: array
        items:
          type: object
          nullable: true
          properties:
            code: { type: string }
            cost: { type: decimal, scale: 2 }
            made: { type: date }
            inner: { type: object, properties: { depth: { type: number } } }
            cuts: { type: array, items: { type: object, properties: { at: { type: integer }, words: { type: array, items: { type: string } } } } }
      flags: { type: array, items: { type: boolean, nullable: true } }
      days: { type: array, items: { type: date } }
      price_gt: { type: decimal }
      logged: { type: string }
      logged_in: { type: string }
      limit: { type: integer }
      limit_eq: { type: integer }
      sort: { type: string }
      ownerId: { type: uuid, reference: people.id }
      owner: { type: relation, relation: belongsTo, resource: people, foreignKey: ownerId }
      parentId: { type: integer, reference: things.id }
      parent: { type: relation, relation: belongsTo, resource: things, foreignKey: parentId }
      parts: { type: relation, relation: hasMany, resource: things, foreignKey: parentId }
      labels:
        { type: relation, relation: belongsToMany, resource: labels, through: thing-labels, withPivot: [position, remark, since], sort: "pivot.position,-title" }
      reviews: { type: relation, relation: hasMany, resource: reviews, foreignKey: thingId }
      notes: { type: relation, relation: morphMany, resource: notes, typeValue: things }
  thing-labels:
    fields:
      thingId: { type: integer, required: true, reference: things.id }
      labelId: { type: string, required: true, reference: labels.id }
      position: { type: integer }
      remark: { type: string }
      since: { type: datetime }
      thing: { type: relation, relation: belongsTo, resource: things, foreignKey: thingId }
      label: { type: relation, relation: belongsTo, resource: labels, foreignKey: labelId }
  reviews:
    fields:
      rating: { type: integer }
      approved: { type: boolean }
      text: { type: text }
      at: { type: datetime }
      cost: { type: decimal, precision: 12, scale: 3 }
      thingId: { type: integer, reference: things.id }
      thing: { type: relation, relation: belongsTo, resource: things, foreignKey: thingId }
      authorId: { type: uuid, reference: people.id }
      author: { type: relation, relation: belongsTo, resource: people, foreignKey: authorId }
      contextType: { type: string, nullable: true }
      contextId: { type: integer, nullable: true }
      context: { type: relation, relation: morphTo, typeField: contextType, idField: contextId }
  # Its owners' ids are of different types, so the key to them is text.
  notes:
    fields:
      text: { type: string }
      stars: { type: integer }
      at: { type: datetime }
      subjectType: { type: string, nullable: true }
      subjectId: { type: string, nullable: true }
      subject: { type: relation, relation: morphTo, typeField: subjectType, idField: subjectId }
`;

/** The same with fields that are computed, which access rules of other tests could not name. */
export const computing = specification
  .replace(
    '  things:\n    fields:\n',
    `  things:
    fields:
      reviewsCount: { type: integer, computed: { count: reviews } }
      approved: { type: integer, computed: { count: reviews, where: approved=true } }
      disapproved: { type: integer, computed: { count: reviews, where: approved=false } }
      ratings: { type: integer, computed: { sum: reviews.rating } }
      rating: { type: number, computed: { avg: reviews.rating } }
      costs: { type: decimal, scale: 3, computed: { sum: reviews.cost } }
      meanCost: { type: number, computed: { avg: reviews.cost } }
      lastReview: { type: datetime, computed: { max: reviews.at, where: approved=true } }
      leastText: { type: text, computed: { min: reviews.text } }
      weights: { type: integer, computed: { sum: labels.weight } }
      place: { type: integer, computed: { max: labels.pivot.position } }
      notesCount: { type: integer, computed: { count: notes } }
      called: { type: string, computed: { join: [name, logged], with: " - " } }
      isLive: { type: boolean, computed: { where: kind=live } }
`,
  )
  .replace(
    '  people:\n    fields:\n      id: { type: id, format: uuid }\n',
    `  people:
    fields:
      id: { type: id, format: uuid }
      thingsCount: { type: integer, computed: { count: things } }
`,
  );
