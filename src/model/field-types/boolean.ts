import { breaks } from '../../problem-rules.ts';
import { wordForms, type WordForm } from '../../specification/stored-forms.ts';
import type { Codec, FieldType } from '../api.ts';
import { plain, shortest } from './plain.ts';
import { accept, wrongType } from '../values.ts';

const zeroOne: Codec = {
  encode: (value) => (value === true ? 1 : 0),
  decode: (stored) => stored !== 0,
};

/** `Y/N`: the words for true and false. */
function words(form: WordForm): Codec {
  const [yes = '', no = ''] = form.split('/');
  return {
    encode: (value) => (value === true ? yes : no),
    decode: (stored) => stored === yes,
  };
}

export const booleanType: FieldType = {
  name: 'boolean',
  otherNames: ['bit'],
  attributes: ['described', 'column', 'scalar', 'drawnValues', 'booleanForms'],
  json: 'boolean',
  kind: 'boolean',
  hasFewValues: true,
  comparison: 'equality',
  sortable: true,
  read: (value) =>
    typeof value === 'boolean'
      ? accept(value)
      : wrongType('must be true or false', breaks('type', { expected: 'boolean' })),
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  expects: () => 'true or false',
  sqlite: { column: () => 'INTEGER', form: 'zeroOne' },
  postgres: { column: () => 'boolean', form: 'boolean' },
  forms: {
    boolean: plain,
    zeroOne,
    '1/0': zeroOne,
    ...Object.fromEntries(wordForms.map((form) => [form, words(form)])),
  },
  existingForms: {
    integer: ['1/0'],
    string: ['true/false', ...wordForms.filter((form) => form !== 'true/false')],
    any: ['1/0', ...wordForms],
  },
  longest: () => shortest,
  schema: () => ({ type: 'boolean' }),
  wireName: () => 'boolean',
  examples: () => [true],
  generated: 'boolean',
  fromDefault: (text) =>
    /^(?:1|t|true|y|yes)$/iu.test(text)
      ? true
      : /^(?:0|f|false|n|no)$/iu.test(text)
        ? false
        : undefined,
};
