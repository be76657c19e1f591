import { parseArgs } from 'node:util';
import { shapes, type Shape } from './shapes.ts';

/** What the command line asks for. */
export type Flags = {
  readonly shapes: readonly Shape[];
  readonly rounds: number;
  readonly seconds: number;
  readonly record: boolean;
  readonly allowDifferences: boolean;
};

/** The text of `--help`. */
export const help = `npm run bench -- [flags]

  --shapes R1,R2        measure only these (default: all, ${shapes.map(({ name }) => name).join(' ')})
  --rounds N            rounds a server and shape (default 6)
  --seconds N           length of a round (default 2)
  --allow-differences   go on when the answers of the two servers differ
  --record              add the result to bench/RESULTS.md
`;

/** Reads the flags; undefined when help is asked for. A wrong one throws. */
export function readFlags(args: readonly string[]): Flags | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      shapes: { type: 'string', default: '' },
      rounds: { type: 'string', default: '6' },
      seconds: { type: 'string', default: '2' },
      record: { type: 'boolean', default: false },
      'allow-differences': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const names = values.shapes.split(',').filter((name) => name !== '');
  const unknown = names.find((name) => !shapes.some((shape) => shape.name === name));
  if (unknown !== undefined) throw new Error(`--shapes: there is no shape ${unknown}`);
  return {
    shapes: shapes.filter(({ name }) => names.length === 0 || names.includes(name)),
    rounds: positive('--rounds', values.rounds),
    seconds: positive('--seconds', values.seconds),
    record: values.record,
    allowDifferences: values['allow-differences'],
  };
}

function positive(flag: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${flag}: ${text} is no count`);
  return number;
}
