/** What a `Prefer` header asks for, as far as it is known here (RFC 7240). */
export interface Preferences {
  readonly count: 'exact' | 'none' | 'estimated';
  readonly minimal: boolean;
}

const noPreferences: Preferences = { count: 'exact', minimal: false };

/** Reads `Prefer`; what is unknown or malformed is ignored, and the first of a kind counts (RFC 7240, section 2). */
export function parsePrefer(header: string | undefined): Preferences {
  if (header === undefined) return noPreferences;
  const wanted = new Map<string, string>();
  for (const part of header.toLowerCase().split(',')) {
    // Parameters of a preference follow after a semicolon; none is known here.
    const [preference = ''] = part.split(';', 1);
    const [name = '', value = ''] = preference.split('=', 2).map((piece) => piece.trim());
    if (!wanted.has(name)) wanted.set(name, value.replace(/^"(.*)"$/u, '$1'));
  }
  const count = wanted.get('count');
  return {
    count: count === 'none' || count === 'estimated' ? count : 'exact',
    minimal: wanted.get('return') === 'minimal',
  };
}

/** Whether `Accept` takes this media type with a weight above 0 (RFC 9110, 12.5.1). */
export function accepts(header: string | undefined, mediaType: string): boolean {
  if (header === undefined || header.trim() === '') return true;
  const [type] = mediaType.split('/');
  let best = -1;
  let quality = 0;
  for (const part of header.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const precision =
      range === mediaType ? 2 : range === `${type}/*` ? 1 : range === '*/*' ? 0 : -1;
    if (precision <= best) continue;
    best = precision;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    quality = weight === undefined ? 1 : Number(weight.slice(2));
  }
  return quality > 0;
}

/** Whether `If-None-Match` names this entity tag, compared weakly (RFC 9110, 13.1.2). */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((part) => part.trim().replace(/^W\//u, '') === tag);
}
