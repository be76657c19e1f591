import type { TypeName } from '../../specification/specification.ts';
import type { FieldType } from '../api.ts';
import { arrayType } from './array.ts';
import { booleanType } from './boolean.ts';
import { dateType } from './date.ts';
import { datetimeType } from './datetime.ts';
import { decimalType } from './decimal.ts';
import { enumType } from './enum.ts';
import { idType } from './id.ts';
import { integerType } from './integer.ts';
import { jsonType } from './json.ts';
import { numberType } from './number.ts';
import { objectType } from './object.ts';
import { emailType, stringType, textType, urlType } from './string.ts';
import { timeType } from './time.ts';
import { uuidType } from './uuid.ts';

/** Every type that holds values, by its name in the file. */
export const fieldTypes: Readonly<Record<Exclude<TypeName, 'relation'>, FieldType>> = {
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
};
