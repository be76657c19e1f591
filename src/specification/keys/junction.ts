import { recordName } from '../../lib/text/singular.ts';

/** The name of the other of two keys to the same resource: `userId` → `otherUserId`. */
export function otherKeyName(name: string): string {
  return `other${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** The usual junction of two resources: its name, and its lines in the file. `typeOf` gives the type of a key to one. */
export function junctionBetween(
  owner: string,
  target: string,
  name = `${recordName(owner)}-${target}`,
  typeOf: (resource: string) => string = () => 'type: integer',
): { readonly name: string; readonly resource: string } {
  const lineOf = (key: string, resource: string): string =>
    `${key}: { ${typeOf(resource)}, required: true, reference: ${resource}.id }`;
  const [own, plain] = [`${recordName(owner)}Id`, `${recordName(target)}Id`];
  const other = own === plain ? otherKeyName(own) : plain;
  return {
    name,
    resource: `${name}: { fields: { ${lineOf(own, owner)}, ${lineOf(other, target)} } }`,
  };
}
