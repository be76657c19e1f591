import type { FieldSpecification } from '../../specification/specification.ts';
import { nativeFormats } from '../../specification/keys/attributes.ts';
import { recognised, type Enums } from './types.ts';
import type { CountValues } from './counts.ts';
import type { FieldTypes } from '../../model/api.ts';

/** A type, and what kept its values from a narrower one. */
export interface NativeField {
  readonly attributes: FieldSpecification;
  readonly notes: readonly string[];
}

const plain = (attributes: FieldSpecification): NativeField => ({ attributes, notes: [] });

/** The names of types that SQL writes in two words or more. */
const formatNames: Readonly<Record<string, string>> = {
  'time with time zone': 'timetz',
  'bit varying': 'varbit',
};

/** A text, as which any type can be served. */
function asText(type: string): FieldSpecification {
  const format = formatNames[type] ?? type;
  const isKnown = (nativeFormats as readonly string[]).includes(format);
  return { type: 'string', ...(isKnown ? { format } : {}) };
}

/**
 * The field that serves an unmanaged column as it is: the narrowest type that all of its values fit. See
 * docs/contract/8-existing-databases.md#types.
 */
export async function nativeField(
  declared: string,
  enums: Enums,
  types: FieldTypes,
  count: CountValues,
): Promise<NativeField> {
  if (declared.endsWith('[]')) {
    const { attributes } = scalarField(declared.slice(0, -2), enums, types);
    return plain({ type: 'array', items: { ...attributes, nullable: true } });
  }
  const field = scalarField(declared, enums, types);
  const misfit = await misfitIn(declared, count);
  if (misfit === undefined) return field;
  return { attributes: misfit.attributes, notes: misfit.note === undefined ? [] : [misfit.note] };
}

/** The type by what the column is declared as. */
function scalarField(declared: string, enums: Enums, types: FieldTypes): NativeField {
  const values = enums.get(declared);
  if (values !== undefined && values.length > 0) return plain({ type: 'enum', values });
  const [, precision, scale = '0'] = /^numeric\((\d+),(-?\d+)\)$/u.exec(declared) ?? [];
  if (precision !== undefined && Number(precision) <= 18 && Number(scale) >= 0)
    return plain({ type: 'decimal', precision: Number(precision), scale: Number(scale) });
  if (declared.startsWith('numeric')) return plain({ type: 'decimal', scale: 'any' });
  if (declared === 'money') return plain({ type: 'decimal', scale: 2 });
  if (declared === 'real') return plain({ type: 'number' });
  if (declared === 'bytea') return plain({ type: 'string', format: 'base64' });
  if (declared === 'hstore') return plain({ type: 'object' });
  const type = declared.replaceAll(/\(\d+(?:,\d+)?\)/gu, '');
  const moment = /^timestamp(?:\((\d)\))? with(?:out)? time zone$/u.exec(declared);
  if (moment !== null) {
    const digits = Number(moment[1] ?? 6);
    return plain({ type: 'datetime', ...(digits === 3 ? {} : { precision: digits }) });
  }
  const name = recognised(type, types, 'postgres');
  return plain(name === undefined ? asText(type) : { type: name });
}

/** The wider type of a column with values that its usual type does not have. */
async function misfitIn(
  declared: string,
  count: CountValues,
): Promise<{ readonly attributes: FieldSpecification; readonly note?: string } | undefined> {
  if (declared === 'bigint') {
    const large = await count((c) => `${c} NOT BETWEEN -9007199254740991 AND 9007199254740991`);
    return large === 0 ? undefined : { attributes: { type: 'integer', format: 'bigint' } };
  }
  if (declared === 'date' || declared.startsWith('timestamp')) {
    const odd = await count(
      (c) => `NOT isfinite(${c}) OR ${c} < DATE '0001-01-01' OR ${c} >= DATE '10000-01-01'`,
    );
    if (odd > 0)
      return {
        attributes: { type: 'string' },
        note: `${valuesAre(odd)} outside the years 1 to 9999.`,
      };
  }
  if (/^time(?:\(\d\))? without/u.test(declared)) {
    const finer = await count((c) => `date_trunc('second', ${c}::interval) <> ${c}::interval`);
    if (finer > 0)
      return {
        attributes: { type: 'string' },
        note: `${finer === 1 ? '1 value has' : `${finer} values have`} fractions of a second.`,
      };
  }
  return undefined;
}

function valuesAre(count: number): string {
  return count === 1 ? '1 value is' : `${count} values are`;
}
