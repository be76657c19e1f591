import type { TypeName } from '../spec/specification.ts';
import type { FieldType } from './api.ts';
import { arrayType } from './field-types/array.ts';
import { booleanType } from './field-types/boolean.ts';
import { dateType } from './field-types/date.ts';
import { datetimeType } from './field-types/datetime.ts';
import { decimalType } from './field-types/decimal.ts';
import { enumType } from './field-types/enum.ts';
import { idType } from './field-types/id.ts';
import { integerType } from './field-types/integer.ts';
import { jsonType } from './field-types/json.ts';
import { numberType } from './field-types/number.ts';
import { objectType } from './field-types/object.ts';
import { emailType, stringType, textType, urlType } from './field-types/string.ts';
import { timeType } from './field-types/time.ts';
import { uuidType } from './field-types/uuid.ts';

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
