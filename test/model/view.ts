import type { Subject } from '../../src/model/access.ts';
import { viewOf, type ResourceView, type View } from '../../src/model/view.ts';
import { validModel } from './model.ts';

/** What a caller with these roles sees; nobody: without credentials. */
export function view(
  text: string,
  roles: readonly string[] | 'nobody' = 'nobody',
  number = 1,
): View {
  const api = validModel(text);
  const version = api.versions.get(number);
  if (version === undefined) throw new Error(`There is no version ${number}`);
  const subject: Subject = {
    authenticated: roles !== 'nobody',
    roles: new Set(roles === 'nobody' ? [] : roles),
  };
  return viewOf(api, version, subject);
}

/** The face of a resource that has to be in the view. */
export function face(one: View, name: string): ResourceView {
  const found = one.resource(name);
  if (found === undefined) throw new Error(`${name} is not in the view`);
  return found;
}
