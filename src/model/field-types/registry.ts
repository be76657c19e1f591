import type { FieldSpecification } from '../../specification/specification.ts';
import type { FieldType, FieldTypes } from '../api.ts';
import { arrayType } from './array.ts';
import { booleanType } from './boolean.ts';
import { dateType } from './moments/date.ts';
import { datetimeType } from './moments/datetime.ts';
import { decimalType } from './numbers/decimal.ts';
import { enumType } from './enum.ts';
import { idType } from './id.ts';
import { integerType } from './numbers/integer.ts';
import { jsonType } from './json.ts';
import { numberType } from './numbers/number.ts';
import { objectType } from './object.ts';
import { emailType, stringType, textType, urlType } from './texts/string.ts';
import { timeType } from './moments/time.ts';
import { uuidType } from './texts/uuid.ts';

/** Every type that holds values, by its name, in the order of documents and messages. Adding one takes its file and a row. */
export const fieldTypes = {
  id: idType,
  string: stringType,
  text: textType,
  integer: integerType,
  number: numberType,
  decimal: decimalType,
  boolean: booleanType,
  date: dateType,
  time: timeType,
  datetime: datetimeType,
  uuid: uuidType,
  email: emailType,
  url: urlType,
  enum: enumType,
  object: objectType,
  array: arrayType,
  json: jsonType,
} as const satisfies FieldTypes;

/** The type that a field with these attributes has. */
export function typeOf(attributes: FieldSpecification, types: FieldTypes): FieldType {
  const type = types[attributes.type];
  if (type === undefined) throw new TypeError(`There is no type ${attributes.type}`);
  return type.variant === undefined ? type : type.variant(attributes);
}
