import type { Api } from '../model/api.ts';
import { unknownName } from '../model/build/names.ts';
import { isJsonObject } from '../model/values.ts';
import type { Problem } from '../specification/problems.ts';
import type { Code } from './code.ts';

/** Reports a problem of the member to which these names lead. */
export type ReportMember = (
  path: readonly string[],
  message: string,
  severity?: Problem['severity'],
) => void;

/** The members of own code. */
const codeMembers = ['start', 'stop', 'resources', 'endpoints'];

/** The hooks of a resource, with what they get. */
const hooks: Readonly<Record<string, readonly string[]>> = {
  beforeCreate: ['record', 'context'],
  beforeUpdate: ['change', 'context'],
  beforeDelete: ['context'],
  afterCommit: ['change', 'context'],
};

const resourceMembers = [...Object.keys(hooks), 'computed'];

/**
 * Checks what a module exports: names against the Api, and what each function takes. Returns it as own code, unless it is
 * nothing of the kind.
 */
export function checkCode(exported: unknown, api: Api, report: ReportMember): Code | undefined {
  if (!isJsonObject(exported)) {
    report(
      [],
      'its default export must be what defineCode gives: export default defineCode({ … })',
    );
    return undefined;
  }
  for (const [name, value] of Object.entries(exported))
    if (!codeMembers.includes(name)) report([name], unknownName('member', name, codeMembers));
    else if (name === 'start' || name === 'stop') checkFunction([name], value, [], report);
    else if (value !== undefined && !isJsonObject(value)) report([name], 'must be an object');
  const { resources } = exported;
  if (isJsonObject(resources))
    for (const [name, value] of Object.entries(resources)) checkResource(name, value, api, report);
  return exported;
}

function checkResource(name: string, own: unknown, api: Api, report: ReportMember): void {
  const path = ['resources', name];
  const resource = api.resources.get(name);
  if (resource === undefined) {
    report(path, unknownName('resource', name, [...api.resources.keys()]));
    return;
  }
  if (own === undefined) return;
  if (!isJsonObject(own)) {
    report(path, 'must be an object with hooks');
    return;
  }
  for (const [member, value] of Object.entries(own)) {
    const at = [...path, member];
    const parameters = hooks[member];
    if (!resourceMembers.includes(member)) report(at, unknownName('hook', member, resourceMembers));
    else if (parameters === undefined) {
      if (value !== undefined && !isJsonObject(value)) report(at, 'must be an object');
    } else {
      checkFunction(at, value, parameters, report);
      if (value !== undefined && (resource.isReadOnly || !resource.hasKey))
        report(at, `it never runs: ${name} takes no writes`, 'warning');
    }
  }
}

/** Checks a function, which takes at most these parameters. */
function checkFunction(
  path: readonly string[],
  value: unknown,
  parameters: readonly string[],
  report: ReportMember,
): void {
  if (value === undefined) return;
  if (typeof value !== 'function') report(path, 'must be a function');
  else if (value.length > parameters.length)
    report(
      path,
      parameters.length === 0
        ? 'takes no arguments'
        : `takes (${parameters.join(', ')}), and no more`,
    );
}

/** Reports required fields that clients cannot write, of resources without a hook that could. */
export function checkFilledFields(
  { resources = {} }: Code,
  api: Api,
  report: (path: readonly string[], message: string) => void,
): void {
  for (const resource of api.resources.values()) {
    const own = Object.hasOwn(resources, resource.name) ? resources[resource.name] : undefined;
    if (own?.beforeCreate !== undefined) continue;
    for (const field of resource.fields.values())
      if (field.required && field.readOnly && field.default === undefined)
        report(
          ['resources', resource.name, 'fields', field.name, 'readOnly'],
          'nobody could set it: a required readOnly field needs a default, or a beforeCreate of its resource in the module of code',
        );
  }
}
