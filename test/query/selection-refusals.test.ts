import { afterAll, beforeAll, describe } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectRefusals, type RefusalCase } from '../support/tables.ts';
import { library, libraryRecords } from './library.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(library, libraryRecords);
});
afterAll(() => api.stop());

const source = (): TestApi => api;

describe('refused', () => {
  const refused = (name: string, query: string, ...problems: string[]): RefusalCase => [
    name,
    query,
    'INVALID_PARAMETER',
    ...problems,
  ];
  const notExpanded = (whole: string, path = 'author'): string =>
    `${whole.includes('.') ? `${whole}: ` : ''}author is a relation that this request does not expand; add expand=${path}`;
  const rows = [
    refused(
      'so many unknown names that no suggestion helps any more',
      `fields=${Array.from({ length: 21 }, (_, index) => `title${index}`).join(',')}`,
      ...Array.from(
        { length: 21 },
        (_, index) =>
          `fields: there is no field title${index}${index < 20 ? '; did you mean title?' : ''}`,
      ),
    ),
    refused('unknown', 'fields=titel', 'fields: there is no field titel; did you mean title?'),
    refused(
      'unknown in exclude',
      'exclude=titel',
      'exclude: there is no field titel; did you mean title?',
    ),
    refused(
      'several',
      'fields=titel,title,prize',
      'fields: there is no field titel; did you mean title?',
      'fields: there is no field prize; did you mean price?',
    ),
    refused(
      'an unknown group',
      'fields=@shrt',
      'fields: there is no group @shrt; did you mean @short?',
    ),
    refused('an unknown group in exclude', 'exclude=@nope', 'exclude: there is no group @nope'),
    refused(
      'an unknown member',
      'fields=specs.wieght',
      'fields: specs.wieght: there is no member specs.wieght; did you mean specs.weight?',
    ),
    refused(
      'an unknown member in exclude',
      'exclude=specs.size.depth',
      'exclude: specs.size.depth: there is no member size.depth; did you mean size.width?',
    ),
    refused(
      'a path into a scalar',
      'fields=title.x',
      'fields: title.x: title is not an object, so it has no members',
    ),
    refused(
      'a path deeper than the object',
      'fields=specs.weight.x',
      'fields: specs.weight.x: weight is not an object, so it has no members',
    ),
    refused(
      'a relation that is not expanded',
      'fields=title,author',
      `fields: ${notExpanded('author')}`,
    ),
    refused('its field', 'fields=title,author.name', `fields: ${notExpanded('author.name')}`),
    refused(
      'its field in exclude',
      'exclude=author.name',
      `exclude: ${notExpanded('author.name')}`,
    ),
    refused(
      'an unknown field of a relation',
      'fields=author.nme&expand=author',
      'fields: author.nme: there is no field nme; did you mean name?',
    ),
    refused(
      'in exclude',
      'exclude=author.nme&expand=author',
      'exclude: author.nme: there is no field nme; did you mean name?',
    ),
    refused(
      'a writeOnly one',
      'fields=author.pin&expand=author',
      'fields: author.pin: there is no field pin',
    ),
    refused(
      'an unknown pivot field',
      'fields=tags.pivot.pos&expand=tags',
      'fields: tags.pivot.pos: there is no pivot field pos; did you mean position?',
    ),
    refused(
      'in exclude',
      'exclude=tags.pivot.bookId&expand=tags',
      'exclude: tags.pivot.bookId: there is no pivot field bookId',
    ),
    refused(
      'pivot of what has none',
      'fields=author.pivot&expand=author',
      'fields: author.pivot: there is no field pivot',
    ),
    refused(
      'a nested relation that is not expanded',
      'fields=parent.author.name&expand=parent',
      `fields: ${notExpanded('parent.author.name', 'parent.author')}`,
    ),
    refused(
      'by itself',
      'fields=parent.author&expand=parent',
      `fields: ${notExpanded('parent.author', 'parent.author')}`,
    ),
    [
      'both',
      'fields=title&exclude=price',
      'FIELDS_CONFLICT',
      'exclude: cannot be combined with fields',
    ] as const,
  ];
  describe('on a list', () => {
    expectRefusals(source, '/v1/books', rows);
  });
  describe('on a single read', () => {
    expectRefusals(source, '/v1/books/1', rows);
  });
  expectRefusals(source, '/v1/notes', [
    refused(
      'a morphTo: what no target has',
      'fields=owner.nope&expand=owner',
      'fields: owner.nope: there is no field nope; did you mean name?',
    ),
    refused(
      'with what some have',
      'fields=owner.title,owner.nope&expand=owner',
      'fields: owner.nope: there is no field nope; did you mean name?',
    ),
  ]);
});
