import { list, object, required, scalarOrMap } from '../collections.ts';
import { exactly, type Definition } from '../definition.ts';
import { fieldNames, resourceNames } from '../names.ts';
import { reservedRoles } from '../reserved.ts';
import { boolean, text } from '../scalars.ts';
import type { Audience } from '../specification.ts';

/** The name of a resource, where one is meant. */
export function resourceName(description: string): Definition<string> {
  return text({ description, expects: "a resource's name", pattern: resourceNames.pattern });
}

/** The name of a field or relation, where one is meant. */
export function fieldName(description: string): Definition<string> {
  return text({ description, expects: "a field's name", pattern: fieldNames.pattern });
}

/** A name from a list of fields. */
export const fieldNameItem = text({ expects: "a field's name", pattern: fieldNames.pattern });

/** An absolute address of the web. */
export function webAddress(description: string): Definition<string> {
  const pattern = /^https?:\/\/[^\s/?#]+([/?#]\S*)?$/;
  return text({ description, expects: 'a URL such as https://example.com/docs', pattern });
}

/** The name of a role that a caller can have: what stands in a token or at an API key. */
export const role = text({
  expects: "a role's name (other than public, authenticated and none, which are reserved)",
  pattern: new RegExp(String.raw`^(?!(${reservedRoles.join('|')})$)\S(.*\S)?$`),
});

/** Who may use a tool: `true`, `false` or `{ roles: […] }`. */
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
