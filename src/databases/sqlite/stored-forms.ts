import Driver from 'better-sqlite3';
import type { Api, ColumnHolder } from '../../model/api.ts';
import type { FoundForms } from '../../model/field-types/stored-as.ts';
import type { SqlValue } from '../../model/values.ts';
import { sqlite } from './dialect.ts';
import { foldName } from './existing/dialect.ts';
import { readMade, readTables } from './catalog.ts';
import { affinityOf } from './existing/affinity.ts';
import { findForms, withForms } from '../existing/stored-forms.ts';
import { nativeForms } from './existing/native-columns.ts';

const holders: ReadonlyMap<string, ColumnHolder> = new Map([
  ['INTEGER', 'integer'],
  ['REAL', 'number'],
  ['TEXT', 'string'],
  ['NUMERIC', 'any'],
]);

/**
 * The stored forms of an Api's fields in a file (`findForms`). Does not change the file. Throws the errors of SQLite.
 */
export function sqliteForms(file: string, api: Api): FoundForms {
  const driver = new Driver(file, { fileMustExist: true, timeout: 0 });
  try {
    const asking = findForms(api, {
      tables: readTables(driver),
      record: readMade(driver),
      fold: foldName,
      dialect: sqlite,
      holderOf: (type) => holders.get(affinityOf(type)),
    });
    let next = asking.next();
    while (next.done !== true)
      next = asking.next(driver.prepare<[], SqlValue[]>(next.value).raw().get() ?? []);
    return withForms(nativeForms(driver, api), next.value);
  } finally {
    driver.close();
  }
}
