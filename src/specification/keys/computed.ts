import { list, object, scalarOrMap } from '../parsers/collections.ts';
import { exactly, refined, type Definition } from '../parsers/definition.ts';
import { text, yes } from '../parsers/scalars.ts';
import type { ComputedSpecification } from '../specification.ts';
import { fieldNameItem } from './common.ts';

export const computedFunctions = ['count', 'sum', 'avg', 'min', 'max'] as const;

const ways = [...computedFunctions, 'join', 'where'] as const;

const ofField = (description: string): Definition<string> =>
  text({
    description,
    expects: 'a relation and a field of its records, such as ratings.stars',
    pattern: /^\w+(?:\.\w+){1,2}$/u,
  });

const members = exactly<ComputedSpecification>()(
  object(
    {
      count: text({
        description: 'How many records a to-many relation has.',
        expects: 'the name of a to-many relation',
        pattern: /^\w+$/u,
      }),
      sum: ofField('The sum of a field of related records.'),
      avg: ofField('The average of a field of related records.'),
      min: ofField('The least value of a field of related records.'),
      max: ofField('The greatest value of a field of related records.'),
      join: list(fieldNameItem, { description: 'Texts of the record, put together.', minimum: 1 }),
      with: text({ description: 'What stands between the texts of `join`.', allowEmpty: true }),
      where: text({
        description:
          'Filters, as in a URL: which related records count; alone, what makes the value true.',
      }),
    },
    {
      description: 'How the value is computed; such a field has no column.',
      expects: 'how it is computed, such as { count: ratings }',
    },
  ),
);

const functions: Definition<ComputedSpecification> = refined(members, (value, report) => {
  const given = ways.filter((way) => value[way] !== undefined);
  const functions = given.filter((way) => way !== 'where');
  if (given.length === 0) report([], 'needs one of count, sum, avg, min, max, join and where');
  else if (functions.length > 1)
    report([functions[1] ?? ''], `\`${functions[1]}\` stands beside \`${functions[0]}\`; keep one`);
  else if (value.join !== undefined && value.where !== undefined)
    report(['where'], '`where` says nothing of `join`; leave it out');
  if (value.with !== undefined && value.join === undefined)
    report(['with'], '`with` stands between the texts of `join`, which is not there');
});

/** `computed`. See docs/contract/9-groups-and-computed-fields.md#computed-fields. */
export const computed: Definition<true | ComputedSpecification> = scalarOrMap(yes(), functions, {
  description:
    'How the value is computed; such a field has no column. `true`: by a function of the module of `code`.',
  expects: 'how it is computed, such as { count: ratings }, or true for a function of own code',
});
