import { parseArgs } from 'node:util';
import { databaseNames, shapes, streamName, type DatabaseName, type Shape } from './shapes.ts';

/** What the command line asks for. */
export type Flags = {
  readonly databases: readonly DatabaseName[];
  /** Whether the stream of a large list to a slow reader is measured. */
  readonly stream: boolean;
  readonly shapes: readonly Shape[];
  readonly rounds: number;
  readonly seconds: number;
  /** For how long each server answers a shape before it is measured, in seconds. */
  readonly warmUp: number;
  /** How many connections to PostgreSQL both servers open. */
  readonly pool: number;
  readonly record: boolean;
  readonly allowDifferences: boolean;
};

const names: readonly string[] = [...shapes.map(({ name }) => name), streamName];

/** The text of `--help`. */
export const help = `npm run bench -- [flags]

  --database NAME       sqlite, postgres or both (default both)
  --shapes R1,R2        measure only these (default: all, ${names.join(' ')})
  --rounds N            rounds a server and shape (default 6)
  --seconds N           length of a round (default 2)
  --warm-up N           seconds that each server answers a shape before its first round (default 6): the engine
                        compiles code for a while after it is first used much
  --pool N              connections to PostgreSQL of both servers (default 10)
  --allow-differences   go on when the answers of the two servers differ
  --record              add the result to bench/RESULTS.md
`;

/** Reads the flags; undefined when help is asked for. A wrong one throws. */
export function readFlags(args: readonly string[]): Flags | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      database: { type: 'string', default: 'both' },
      shapes: { type: 'string', default: '' },
      rounds: { type: 'string', default: '6' },
      seconds: { type: 'string', default: '2' },
      'warm-up': { type: 'string', default: '6' },
      pool: { type: 'string', default: '10' },
      record: { type: 'boolean', default: false },
      'allow-differences': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const given = values.shapes.split(',').filter((name) => name !== '');
  const unknown = given.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`--shapes: there is no shape ${unknown}`);
  const isWanted = (name: string): boolean => given.length === 0 || given.includes(name);
  return {
    databases: databasesOf(values.database),
    stream: isWanted(streamName),
    shapes: shapes.filter(({ name }) => isWanted(name)),
    rounds: positive('--rounds', values.rounds),
    seconds: positive('--seconds', values.seconds),
    warmUp: positive('--warm-up', values['warm-up']),
    pool: positive('--pool', values.pool),
    record: values.record,
    allowDifferences: values['allow-differences'],
  };
}

function databasesOf(text: string): readonly DatabaseName[] {
  const found = databaseNames.filter((name) => text === name || text === 'both');
  if (found.length === 0) throw new Error(`--database: ${text} is not sqlite, postgres or both`);
  return found;
}

function positive(flag: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${flag}: ${text} is no count`);
  return number;
}
