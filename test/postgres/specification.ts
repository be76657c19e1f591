/** Every field type, every kind of relation, ids of every format. */
export const specification = `
limits: { expandedItems: 3 }
resources:
  authors:
    timestamps: true
    fields:
      name: { type: string, required: true, unique: true }
      email: { type: email, nullable: true }
      bio: { type: text, nullable: true }
      books: { type: relation, relation: hasMany, resource: books, foreignKey: authorId }
      remarks: { type: relation, relation: morphMany, resource: remarks, onDelete: cascade }
  books:
    fields:
      title: { type: string, required: true, index: true }
      isbn: { type: string, unique: true }
      price: { type: decimal, precision: 10, scale: 2, index: true }
      exact: { type: decimal, precision: 18, scale: 6 }
      weight: { type: number }
      pages: { type: integer, index: true }
      published: { type: boolean, default: false }
      releasedOn: { type: date }
      opensAt: { type: time }
      soldAt: { type: datetime }
      code: { type: uuid }
      site: { type: url }
      genre: { type: enum, values: [novel, essay, poem] }
      words: { type: array, items: { type: string } }
      scores: { type: array, items: { type: integer, nullable: true } }
      rates: { type: array, items: { type: number } }
      amounts: { type: array, items: { type: decimal } }
      flags: { type: array, items: { type: boolean } }
      things: { type: array, items: { type: json } }
      size:
        type: object
        properties:
          width: { type: number }
          a: { type: integer }
          cost: { type: decimal }
          inner: { type: object, properties: { zeta: { type: string }, b: { type: array, items: { type: integer } } } }
      free: { type: object }
      extra: { type: json }
      secret: { type: string, writeOnly: true }
      fixed: { type: string, immutable: true }
      authorId: { type: integer, reference: authors.id }
      author: { type: relation, relation: belongsTo, resource: authors }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: book-tags, withPivot: [position] }
      remarks: { type: relation, relation: morphMany, resource: remarks }
    unique: [[authorId, title, soldAt]]
  tags:
    fields:
      id: { type: id, format: string }
      label: { type: string, required: true }
      parentId: { type: string, reference: tags.id, onDelete: cascade }
      parent: { type: relation, relation: belongsTo, resource: tags }
      children: { type: relation, relation: hasMany, resource: tags, foreignKey: parentId }
  book-tags:
    fields:
      bookId: { type: integer, required: true, reference: books.id }
      tagId: { type: string, required: true, reference: tags.id }
      position: { type: integer }
    unique: [[bookId, tagId]]
  remarks:
    fields:
      text: { type: string, required: true }
      remarkable: { type: relation, relation: morphTo }
  devices:
    fields:
      id: { type: id, format: uuid }
      name: { type: string, required: true }
      notes: { type: relation, relation: morphMany, resource: notes, onDelete: setNull }
  places:
    fields:
      name: { type: string, required: true }
      notes: { type: relation, relation: morphMany, resource: notes, onDelete: setNull }
  # Its owners' ids are of different types, so the key to them is text.
  notes:
    fields:
      text: { type: string, required: true }
      noted: { type: relation, relation: morphTo }
      notedType: { type: string, nullable: true }
      notedId: { type: string, nullable: true }
  left: { fields: { name: { type: string }, rightId: { type: integer, reference: right.id } } }
  right: { fields: { name: { type: string }, leftId: { type: integer, reference: left.id } } }
`;
