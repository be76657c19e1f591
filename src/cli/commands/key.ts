import { hash, randomBytes } from 'node:crypto';
import { reservedRoles } from '../../specification/reserved.ts';
import type { Context } from '../../server/context.ts';
import { CommandFailure } from '../../server/failure.ts';

interface Flags {
  readonly name?: string;
  readonly role?: readonly string[];
  readonly sub?: string;
  readonly json?: boolean;
}

/** `plinth key`: prints a new API key once, and its entry for the specification, which has only the hash. */
export function key({ output }: Context, flags: Flags): void {
  const roles = readRoles(flags.role);
  for (const name of ['name', 'sub'] as const)
    if (flags[name]?.trim() === '')
      throw new CommandFailure(`--${name} is empty. Give it a text, or leave it out.`, {
        exitCode: 2,
      });
  const text = `plinth_${randomBytes(32).toString('base64url')}`;
  const digest = hash('sha256', text, 'hex');
  const entry = {
    name: flags.name ?? `key-${digest.slice(0, 8)}`,
    hash: `sha256:${digest}`,
    ...(roles.length === 0 ? {} : { roles }),
    ...(flags.sub === undefined ? {} : { sub: flags.sub }),
  };
  if (flags.json === true) {
    output.print(JSON.stringify({ ok: true, key: text, entry }, undefined, 2));
    return;
  }
  output.print(`The key, shown only now:\n\n  ${text}\n`);
  output.print(`Add this to plinth.yaml, under auth.apiKeys:\n\n  - ${inYaml(entry)}`);
}

/** A YAML map on one line. */
function inYaml(entry: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(entry).map(([name, value]) => {
    const items = Array.isArray(value) ? `[${value.map(scalar).join(', ')}]` : scalar(value);
    return `${name}: ${items}`;
  });
  return `{ ${members.join(', ')} }`;
}

function scalar(value: unknown): string {
  return JSON.stringify(value).replaceAll('${', () => '$${');
}

/** The roles of `--role`. Fails for names that no credential can have. */
export function readRoles(roles: readonly string[] = []): readonly string[] {
  for (const role of roles) {
    if (role.trim() !== role || role === '')
      throw new CommandFailure(`${JSON.stringify(role)} is not a valid role name. Change --role.`, {
        exitCode: 2,
      });
    if (reservedRoles.some((reserved) => reserved === role))
      throw new CommandFailure(
        `Nobody can be given the role ${role}: ${reservedRoles.join(', ')} are words of the access rules. Change --role.`,
        { exitCode: 2 },
      );
  }
  return [...new Set(roles)];
}
