import { recordName } from '../../lib/text/singular.ts';
import { list, object, required, scalarOrMap } from '../parsers/collections.ts';
import { exactly, mapped, refined, type Definition } from '../parsers/definition.ts';
import { fieldNames, resourceNames } from '../parsers/names.ts';
import { reservedRoles } from '../reserved.ts';
import { boolean, choice, text } from '../parsers/scalars.ts';
import type { Audience, Collation } from '../specification.ts';

/** A reference to a resource, by name. */
export function resourceName(description: string): Definition<string> {
  return text({ description, expects: "a resource's name", pattern: resourceNames.pattern });
}

/** A reference to a field or relation, by name. */
export function fieldName(description: string): Definition<string> {
  return text({ description, expects: "a field's name", pattern: fieldNames.pattern });
}

/** A name in a list of fields. */
export const fieldNameItem = text({ expects: "a field's name", pattern: fieldNames.pattern });

/** An absolute HTTP URL; its value is ASCII, as headers require. */
export function webAddress(description: string): Definition<string> {
  const pattern = /^https?:\/\/[^\s/?#]+([/?#]\S*)?$/;
  const written = text({ description, expects: 'a URL such as https://example.com/docs', pattern });
  const readable = refined(written, (address, report) => {
    if (!URL.canParse(address)) report([], `${address} is not a valid URL`);
  });
  return mapped(readable, (address) => new URL(address).href);
}

/** An HTTP URL that paths are appended to; its value has no trailing slash. */
export function webBase(description: string): Definition<string> {
  const plain = refined(webAddress(description), (address, report) => {
    if (/[?#]/u.test(address))
      report([], 'paths are put behind this URL: it has neither a query nor a fragment');
  });
  return mapped(plain, (address) => address.replace(/\/$/u, ''));
}

/** `codePoint` or `database`. See docs/contract/8-existing-databases.md#collations. */
export function collation(description: string): Definition<Collation> {
  return choice(['codePoint', 'database'], { description });
}

/** A locale of generated names and texts. */
export function locale(description: string, more: { readonly default?: string } = {}) {
  return text({
    description,
    expects: 'a locale such as en or de_AT',
    pattern: /^[A-Za-z]{2,3}([_-][A-Za-z0-9]+)*$/,
    ...more,
  });
}

/** The name of a role, as in a token or at an API key. */
export const role = text({
  expects: "a role's name (other than public, authenticated and none, which are reserved)",
  pattern: new RegExp(String.raw`^(?!(${reservedRoles.join('|')})$)\S(.*\S)?$`),
});

/** The callers that may use a tool: `true`, `false` or `{ roles: […] }`. */
export function audience(description: string): Definition<Audience> {
  return exactly<Audience>()(
    scalarOrMap(
      boolean(),
      object({
        roles: required(
          list(role, { description: 'Callers with one of these roles.', minimum: 1 }),
        ),
      }),
      { description, expects: 'true, false or a map with `roles`' },
    ),
  );
}

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
