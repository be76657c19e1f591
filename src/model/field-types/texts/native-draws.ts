import type { Field, RandomChoices } from '../../api.ts';

type Draw = (random: RandomChoices, field: Field) => string;

const upTo = (random: RandomChoices, most: number): number => random.below(most) + 1;

const octets = (random: RandomChoices, count: number): string =>
  [
    '02',
    ...Array.from({ length: count - 1 }, () => random.below(256).toString(16).padStart(2, '0')),
  ].join(':');

const twoDigits = (number: number): string => String(number).padStart(2, '0');

const point = (random: RandomChoices): string => `(${random.below(1_000)},${random.below(1_000)})`;

/** Bits as long as the column takes. */
const bits: Draw = (random, { attributes: { maxLength = 1 } }) =>
  Array.from({ length: maxLength }, () => random.below(2)).join('');

const wholes: Draw = (random) => {
  const from = random.below(1_000);
  return `[${from},${from + upTo(random, 100)})`;
};

/** A range of days, each written so. */
const days =
  (written: (day: string) => string): Draw =>
  (random) => {
    const from = upTo(random, 14);
    const month = twoDigits(upTo(random, 12));
    const [start, end] = [from, from + upTo(random, 14)].map((day) =>
      written(`2026-${month}-${twoDigits(day)}`),
    );
    return `[${start},${end})`;
  };

const ranges = {
  int4: wholes,
  int8: wholes,
  num: wholes,
  date: days((day) => day),
  ts: days((day) => `"${day} 00:00:00"`),
  tstz: days((day) => `"${day} 00:00:00+00"`),
} as const;

/** Generated texts of types of PostgreSQL; a type without a row takes values of the file alone. */
export const nativeDraws: Readonly<Record<string, Draw>> = {
  inet: (random) => `10.${random.below(256)}.${random.below(256)}.${upTo(random, 254)}`,
  cidr: (random) => `10.${random.below(256)}.${random.below(256)}.0/24`,
  macaddr: (random) => octets(random, 6),
  macaddr8: (random) => octets(random, 8),
  interval: (random) => `PT${upTo(random, 23)}H${upTo(random, 59)}M`,
  timetz: (random) => `${twoDigits(random.below(24))}:${twoDigits(random.below(60))}:00+00`,
  bit: bits,
  varbit: bits,
  ...Object.fromEntries(
    Object.entries(ranges).flatMap(([name, draw]): readonly (readonly [string, Draw])[] => [
      [`${name}range`, draw],
      [`${name}multirange`, (...given) => `{${draw(...given)}}`],
    ]),
  ),
  point,
  box: (random) => `${point(random)},${point(random)}`,
  circle: (random) => `<${point(random)},${upTo(random, 100)}>`,
  line: (random) => `{1,-1,${random.below(1_000)}}`,
  lseg: (random) => `[${point(random)},${point(random)}]`,
  path: (random) => `[${point(random)},${point(random)}]`,
  polygon: (random) => `(${point(random)},${point(random)},${point(random)})`,
  xml: (random) => `<item>${random.below(1_000)}</item>`,
  tsvector: (random) => `'word${random.below(1_000)}'`,
  tsquery: (random) => `'word${random.below(1_000)}'`,
  ltree: (random) => `top.part${random.below(100)}.part${random.below(1_000)}`,
  lquery: (random) => `top.part${random.below(1_000)}.*`,
  pg_lsn: (random) => `0/${upTo(random, 0xff_ff_ff).toString(16).toUpperCase()}`,
  jsonpath: (random) => `$."part${random.below(1_000)}"`,
  cube: (random) => `(${random.below(1_000)}, ${random.below(1_000)})`,
  oid: (random) => String(random.below(1_000_000)),
};
