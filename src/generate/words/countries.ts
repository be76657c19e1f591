import facts from './countries.json' with { type: 'json' };

/** A city and its region. */
export type City = readonly [city: string, region: string];

interface Addresses {
  /** `#` is a digit. */
  readonly phone: string;
  /** `#` is a digit, `@` a letter. */
  readonly zip: string;
  /** Whether the street comes before the house number. */
  readonly streetFirst: boolean;
  readonly streets: readonly string[];
}

/** A country that addresses may be in, besides the country of the locale. */
export interface Country extends Addresses {
  readonly code: string;
  readonly cities: readonly City[];
}

interface Facts {
  readonly currency: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly addresses?: Addresses & { readonly cities: Readonly<Record<string, string>> };
}

const byCode: ReadonlyMap<string, Facts> = new Map(Object.entries<Facts>(facts));

/** Sorted by code; generated data depends on the order. */
export const countries: readonly Country[] = [...byCode].flatMap(([code, { addresses }]) =>
  addresses === undefined ? [] : { code, ...addresses, cities: Object.entries(addresses.cities) },
);

/** A point with 60 km of the country around it, nearly everywhere; undefined for an unknown country. */
export function centerOf(code: string): readonly [latitude: number, longitude: number] | undefined {
  const found = byCode.get(code);
  return found && [found.latitude, found.longitude];
}

/** The currency code of a country; undefined for an unknown country. */
export function currencyOf(code: string): string | undefined {
  return byCode.get(code)?.currency;
}
