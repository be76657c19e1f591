/** A number as a person reads it: three digits that count. */
export function figure(value: number): string {
  if (value === 0) return '0';
  if (value >= 100) return Math.round(value).toLocaleString();
  return String(Number(value.toPrecision(3)));
}

/** A value of a record as text. */
export function shown(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The colour of a status. */
export function statusColor(status: number): string {
  if (status >= 500) return 'red';
  if (status >= 400) return 'orange';
  return status >= 300 ? 'gray' : 'green';
}
