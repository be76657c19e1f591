/** A number as a person reads it: three digits that count. */
export function figure(value: number): string {
  if (value === 0) return '0';
  if (value >= 100) return Math.round(value).toLocaleString();
  return String(Number(value.toPrecision(3)));
}

/** A duration in ms, with decimals that stand below each other in a column. */
export function milliseconds(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString();
  return value.toFixed(value >= 10 ? 1 : 2);
}

/** A time of day, always as wide. */
export const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** A length in bytes as a person reads it: `300 B`, `1.2 kB`. */
export function byteText(value: number): string {
  if (value < 1_000) return `${value} B`;
  if (value < 1e6) return `${figure(value / 1e3)} kB`;
  return `${figure(value / 1e6)} MB`;
}

/** A value of a record as text. */
export function shown(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return '';
  return visible(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** The beginning of a text, where there is room for little of it and it may be very long. */
export function brief(text: string, longest = 300): string {
  return text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`;
}

/** A text whose marks for the direction of writing are seen, as JSON writes them, and turn nothing around. */
export function visible(text: string): string {
  return text.replaceAll(
    /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** JSON with its lines broken. */
export function indented(value: unknown): string {
  return visible(JSON.stringify(value, undefined, 2));
}

/** The colour of a status. */
export function statusColor(status: number): string {
  if (status >= 500) return 'red';
  if (status >= 400) return 'orange';
  return status >= 300 ? 'gray' : 'green';
}

/** `1 row`, `2,000 rows`. */
export function counted(count: number, one: string): string {
  return `${count.toLocaleString()} ${count === 1 ? one : `${one}s`}`;
}

/** A part of a URL as it is meant; as it stands where it cannot be read. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
