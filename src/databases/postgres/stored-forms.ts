import type { Api, ColumnHolder } from '../../model/api.ts';
import { heldAs, type FoundForms } from '../../model/field-types/stored-as.ts';
import type { StoredAs } from '../../specification/specification.ts';
import { cutName } from '../../sql/schema/cut-name.ts';
import { postgres } from './dialect.ts';
import { readFound } from './catalog.ts';
import type { Ask } from './database.ts';
import { nativeForms } from './native-columns.ts';
import { findForms, withForms } from '../existing/stored-forms.ts';

/** What values a column of this type takes in a form of others; undefined for the types that are no such form. */
export function holderOf(type: string): ColumnHolder | undefined {
  if (/^(?:smallint|integer|bigint)$/u.test(type)) return 'integer';
  if (/^(?:text|character(?: varying)?(?:\(\d+\))?)$/u.test(type)) return 'string';
  return type === 'double precision' ? 'number' : undefined;
}

/** The longest value of a text form, in characters: a decimal has 18 digits, a point and a sign. */
const longest: Readonly<Partial<Record<StoredAs, number>>> = {
  isoText: 24,
  isoSeconds: 20,
  sqlText: 23,
  sqlMicroseconds: 26,
  sqlMixed: 26,
  sqlUtc: 24,
  sqlOffset: 30,
  isoOffset: 29,
  text: 20,
};

/** Whether a column of this type holds all values in a form; a smaller one has to be widened. */
export function hasRoomFor(type: string, form: StoredAs): boolean {
  const holder = holderOf(type);
  if (holder !== heldAs[form]) return false;
  if (holder === 'integer') return type === 'bigint' || form === '1/0';
  // `char` pads short values with blanks, except at a length of one.
  if (type.startsWith('character(')) return type === 'character(1)' && longestIn(form) === 1;
  const [, length] = /\((\d+)\)$/u.exec(type) ?? [];
  return length === undefined || Number(length) >= longestIn(form);
}

/** The longest value of a text form, in characters. */
function longestIn(form: StoredAs): number {
  return longest[form] ?? Math.max(...form.split('/').map((word) => word.length));
}

/** The stored forms of an Api's fields in a database (`findForms`). Changes nothing. */
export async function postgresForms(ask: Ask, api: Api): Promise<FoundForms> {
  const found = await readFound(ask, api.settings.database);
  const fold = (name: string): string => cutName(name);
  const asking = findForms(api, { ...found, fold, dialect: postgres, holderOf });
  let next = asking.next();
  while (next.done !== true) {
    const [row = []] = await ask(next.value);
    next = asking.next(row);
  }
  return withForms(await nativeForms(ask, api), next.value);
}
