import { namesClaims, type SessionSettings } from '../../model/session.ts';
import { buildStatement, type Statement, type Values } from '../../sql/statement.ts';
import { quote } from '../../sql/dialect.ts';
import { DatabaseFailure } from '../database.ts';
import type { Connection, Rows } from './connections/connection.ts';
import { postgres } from './dialect.ts';
import { isRefusedSetting } from './errors.ts';

/** How every transaction begins. */
export const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** Makes and drops the settings of sessions, whatever their values. */
interface SessionStatements {
  readonly make: Statement;
  readonly drop: string;
}

const known = new WeakMap<readonly string[], SessionStatements>();

function statementsFor(names: readonly string[]): SessionStatements {
  const found = known.get(names);
  if (found !== undefined) return found;
  const made: SessionStatements = {
    make: buildStatement(postgres, (add) => {
      const calls = names.map(
        (name, index) => `set_config(${postgres.text(name)}, ${add(index)}, true)`,
      );
      return `SELECT ${calls.join(', ')}`;
    }),
    // The role comes last in `make`, and here first: only the own role may change the others.
    drop: names
      .toReversed()
      .map((name) => `SET LOCAL ${quote(name.toLowerCase())} TO DEFAULT`)
      .join('; '),
  };
  known.set(names, made);
  return made;
}

/** The settings of one caller, which hold in a transaction. */
export class CallerSession {
  readonly make: Statement;
  readonly values: Values;
  /** A command that restores the settings of the connection. */
  readonly drop: string;

  constructor({ names, values }: SessionSettings) {
    ({ make: this.make, drop: this.drop } = statementsFor(names));
    this.values = { bound: values };
  }

  /** Makes the settings in the transaction of a connection. Rejects with `forbidden` if the server refuses one. */
  async enter(connection: Connection, isNamed: boolean): Promise<void> {
    try {
      await connection.query(this.make.sql, this.values.bound, isNamed, undefined, 1);
    } catch (error) {
      throw isRefusedSetting(error)
        ? new DatabaseFailure('The database refuses the settings of the caller.', {
            kind: 'forbidden',
            cause: error,
          })
        : error;
    }
  }
}

/** A read, and how to give back its rows if they are not wanted. */
export interface SessionRead {
  readonly read: () => Promise<Rows>;
  readonly release: (rows: Rows) => void;
}

/**
 * Reads in a transaction of its own with the settings of a caller. BEGIN, settings, statement and COMMIT are sent at once
 * and take one round trip, if the statements are prepared. The connection must be lent to nobody else. If the settings
 * fail, the server rejects the statement, since its transaction is over.
 */
export async function readInSession(
  connection: Connection,
  session: CallerSession,
  isNamed: (statement: Statement) => boolean,
  { read, release }: SessionRead,
): Promise<Rows> {
  const [begun, entered, answer, ended] = await Promise.allSettled([
    connection.command(begin),
    session.enter(connection, isNamed(session.make)),
    read(),
    connection.command('COMMIT'),
  ]);
  for (const outcome of [begun, entered, answer, ended])
    if (outcome.status === 'rejected') {
      if (answer.status === 'fulfilled') release(answer.value);
      throw outcome.reason;
    }
  return (answer as PromiseFulfilledResult<Rows>).value;
}

/** Streams in a transaction of its own with the settings of a caller, which hold before the first row is read. */
export async function streamInSession(
  connection: Connection,
  session: CallerSession,
  isNamed: boolean,
  read: () => Promise<void>,
): Promise<void> {
  const begun = [connection.command(begin), session.enter(connection, isNamed)];
  for (const outcome of await Promise.allSettled(begun))
    if (outcome.status === 'rejected') throw await ended(connection, outcome.reason);
  try {
    await read();
  } catch (error) {
    throw await ended(connection, error);
  }
  await connection.command('COMMIT');
}

/** Ends a transaction that has failed. Returns the error. */
async function ended(connection: Connection, error: unknown): Promise<unknown> {
  if (connection.isOpen) await connection.command('ROLLBACK').catch(() => connection.abandon());
  return error;
}

/**
 * The names among settings that the server does not know, and the role of the connection if policies of row level security
 * do not apply to it. Names with a dot are free.
 */
const inspection =
  `SELECT array_to_string(ARRAY(SELECT name FROM json_array_elements_text($1::json) AS name` +
  ` WHERE strpos(name, '.') = 0 AND current_setting(name, true) IS NULL), ', '), current_user,` +
  ` (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user) OR EXISTS (SELECT FROM pg_class` +
  ` WHERE relrowsecurity AND NOT relforcerowsecurity AND pg_has_role(relowner, 'USAGE'))`;

/**
 * Checks `database.session` against the server. Throws a DatabaseFailure if it does not know a setting; returns a warning
 * if some callers would be served as a role that no policy holds for. See
 * docs/contract/8-existing-databases.md#sessions, rules 3 and 9.
 */
export async function checkSession(
  connection: Connection,
  session: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const names = Object.keys(session);
  const { rows } = await connection.query(inspection, [JSON.stringify(names)], false);
  const [unknown, role, isFree] = rows[0] ?? [];
  if (unknown !== '')
    throw new DatabaseFailure(
      `The database ${connection.name} knows no setting ${String(unknown)} (database.session). A setting of your own has a dot in its name, such as app.tenant.`,
    );
  if (isFree !== true) return undefined;
  const roleName = names.find((name) => name.toLowerCase() === 'role');
  const given = roleName === undefined ? '' : (session[roleName] ?? '');
  if (given !== '' && given !== 'none' && !namesClaims(given)) return undefined;
  const who = namesClaims(given) ? `callers without the claims of ${given} are` : 'all callers are';
  return `${who} served as the role ${String(role)}, to which row level security does not apply. Connect as a role that owns no tables.`;
}
