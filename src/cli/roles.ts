import { reservedRoles } from '../specification/reserved.ts';
import { CommandFailure } from './failure.ts';

/** The roles of `--role`; fails for what no credential can carry. */
export function readRoles(roles: readonly string[] = []): readonly string[] {
  for (const role of roles) {
    if (role.trim() !== role || role === '')
      throw new CommandFailure(`${JSON.stringify(role)} is no name of a role. Change --role.`, {
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
