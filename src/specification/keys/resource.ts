import { list, map, object, required, scalarOrList, scalarOrMap } from '../parsers/collections.ts';
import {
  consistent,
  exactly,
  invalid,
  mapped,
  named,
  subject,
  withSchema,
  type Definition,
} from '../parsers/definition.ts';
import { fieldNames, groupNames, resourceNames } from '../parsers/names.ts';
import { boolean, integer, text } from '../parsers/scalars.ts';
import type { SourceNode } from '../yaml/node.ts';
import type { Groups, ResourceSpecification } from '../specification.ts';
import { access } from './access.ts';
import { pagination } from './api.ts';
import { fieldName, fieldNameItem, locale } from './common.ts';
import type { FieldDefinitions } from './field.ts';
import { network } from './operation.ts';
import { advised, otherResourceWords } from './other-words.ts';

/** `groups` of the API and of a resource. */
export const groups: Definition<Groups> = named(
  'groups',
  map(groupNames, list(fieldNameItem, { expects: "a list of fields' names" }), {
    description: 'Groups of fields, which `fields=@name` selects: name → fields.',
    expects: 'a map of group name to a list of fields',
  }),
);

function fieldLists(description: string) {
  const lists = list(
    list(fieldNameItem, { expects: "a list of fields' names", minimum: 1, distinct: true }),
    { description, expects: "a list of lists of fields' names, such as [[first, second]]" },
  );
  const check: typeof lists.check = (node, path, collector) => {
    const names = node.kind === 'list' ? node.items : [];
    const isFlat = names.length > 0 && names.every(({ kind }) => kind === 'scalar');
    if (!isFlat) return lists.check(node, path, collector);
    const inner = names.map((name) => (name.kind === 'scalar' ? name.source : '')).join(', ');
    const hint = names.length === 1 ? '' : ', or a list of its own for each';
    const message = `${subject(path)} must be ${lists.expects}: write [[${inner}]]${hint}`;
    collector.report(path, message, 'error', { rule: 'value' });
    return invalid;
  };
  return { ...lists, check };
}

const generate = consistent(
  withSchema(
    object(
      {
        count: integer({ description: 'Records in all.', minimum: 0 }),
        per: fieldName('A belongsTo relation: so many records for each record that it leads to.'),
        min: integer({ description: 'The fewest for each; 0 if left out.', minimum: 0 }),
        max: integer({
          description: 'The most for each; 9 if left out, or `min` where that is more.',
          minimum: 0,
        }),
        locale: locale('The language of the names and texts of its records.'),
      },
      {
        description: 'How many records are generated.',
        expects: 'a map such as { count: 100 } or { per: author, min: 0, max: 9 }',
      },
    ),
    {
      dependentRequired: { min: ['per'], max: ['per'] },
      not: { required: ['count', 'per'] },
    },
  ),
  ['count', 'per', 'min', 'max'],
  ({ count, per, min, max }, report) => {
    if (count !== undefined && per !== undefined) {
      report(['count'], '`count` and `per` cannot both say how many records there are');
    }
    for (const [name, value] of [
      ['min', min],
      ['max', max],
    ] as const) {
      if (value === undefined || per !== undefined) continue;
      report([name], `\`${name}\` needs \`per\`: the relation whose records it counts`);
    }
    if (min !== undefined && max !== undefined && min > max) {
      report(['min'], `\`min\` (${min}) is over \`max\` (${max})`);
    }
  },
);

/** `generate: 50` is short for `generate: { count: 50 }`. */
const generateOf: Definition<NonNullable<ResourceSpecification['generate']>> = scalarOrMap(
  mapped(integer({ description: 'Records in all.', minimum: 0 }), (count) => ({ count })),
  generate,
  {
    description: 'How many records are generated.',
    expects: 'a number such as 50, or a map such as { per: author, min: 0, max: 9 }',
  },
);

function looksLikeField(node: SourceNode): boolean {
  return node.kind === 'map' && node.entries.has('type');
}

/** `resources`: name → resource. See docs/contract/1-specification-file.md#resources. */
export function resourceDefinitions({
  field,
  idField,
}: FieldDefinitions): Definition<Readonly<Record<string, ResourceSpecification>>> {
  const resource = named(
    'resource',
    exactly<ResourceSpecification>()(
      object(
        {
          description: text({ description: 'What a record is, for readers.', allowEmpty: true }),
          fields: required(
            map(fieldNames, field, {
              description: 'The fields and relations: name → definition. `id` is added.',
              expects: 'a map of field name to definition, such as { title: { type: string } }',
              special: { id: idField },
              partial: true,
            }),
          ),
          groups,
          timestamps: boolean({
            description: 'Whether read-only `createdAt` and `updatedAt` are added.',
            default: false,
          }),
          unique: fieldLists('Fields of which no two records may have the same values together.'),
          indexes: fieldLists('Fields that the database indexes together.'),
          search: list(
            text({ description: 'A text field, or a path to one such as author.name.' }),
            {
              description:
                'The fields that `search` looks into; the texts, strings and emails of the resource if left out.',
              expects: "a list of fields' names, such as [title, author.name]",
              minimum: 1,
              distinct: true,
            },
          ),
          searchIndex: boolean({
            description:
              'Whether an index keeps the texts that `search` looks into, so that not every record is read.',
            default: false,
          }),
          sort: text({
            description:
              'The order of a list that asks for none, as the parameter `sort` is written: `-createdAt,title`.',
          }),
          access,
          pagination,
          network,
          generate: generateOf,
          table: text({ description: "An existing table's name." }),
          managed: boolean({
            description:
              'Whether Plinth creates and changes the table; `database.managed` if left out.',
          }),
          key: scalarOrList(
            fieldNameItem,
            list(fieldNameItem, {
              expects: "a list of fields' names",
              minimum: 1,
              distinct: true,
            }),
            {
              description:
                'The fields that identify a record of an existing table; `id` is made of them. `none`: nothing does, so that there are lists alone.',
              expects: "a field's name or a list of them, such as [orderId, lineNo]",
            },
          ),
          readOnly: boolean({
            description: 'Whether no request writes records, as those of a view.',
          }),
        },
        {
          expects: 'a map with `fields`',
          astray: { from: 'fields', is: looksLikeField },
          unknown: advised(otherResourceWords),
          otherNames: new Map<string, readonly string[]>([
            ...['properties', 'columns', 'attributes', 'schema'].map(
              (name) => [name, ['fields']] as const,
            ),
            ...['order', 'orderBy', 'ordering', 'defaultSort'].map(
              (name) => [name, ['sort']] as const,
            ),
          ]),
        },
      ),
    ),
  );

  return map(resourceNames, resource, {
    description: 'The resources: name → definition.',
    expects: 'a map of resource name to definition, such as { posts: { fields: … } }',
    minimum: 1,
    partial: true,
  });
}
