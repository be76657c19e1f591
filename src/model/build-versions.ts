import type { Report } from '../spec/problems.ts';
import type { Specification, VersionSpecification } from '../spec/specification.ts';
import { unknownName } from './names.ts';
import type { Api, Resource, Version } from './api.ts';
import type { DraftResource, Drafts } from './draft.ts';

/** Checks the version overlays and picks the default version. Contract 1, Versions. */
export function buildVersions(
  { api = {} }: Specification,
  resources: Drafts,
  report: Report,
): Pick<Api, 'versions' | 'defaultVersion'> {
  const versions = new Map<number, Version>();
  for (const [name, source] of Object.entries(api.versions ?? { 1: {} }))
    versions.set(Number(name), buildVersion(Number(name), source, resources, report));
  const numbers = [...versions.keys()].sort((a, b) => b - a);
  const current = numbers.find((number) => versions.get(number)?.deprecated === undefined);
  if (api.defaultVersion !== undefined && !versions.has(api.defaultVersion))
    report(
      ['api', 'defaultVersion'],
      `there is no version ${api.defaultVersion}; there is ${numbers.join(', ')}`,
    );
  return { versions, defaultVersion: api.defaultVersion ?? current ?? numbers[0] ?? 1 };
}

function buildVersion(
  number: number,
  source: VersionSpecification,
  resources: Drafts,
  report: Report,
): Version {
  const hiddenResources = new Set<Resource>();
  const names = new Map<Resource, ReadonlyMap<string, string | null>>();
  const path = ['api', 'versions', String(number), 'resources'];
  for (const [name, overlay] of Object.entries(source.resources ?? {})) {
    const resource = resources.get(name);
    if (resource === undefined)
      report([...path, name], unknownName('resource', name, resources.keys()));
    else if (overlay === false) hiddenResources.add(resource);
    else
      names.set(
        resource,
        buildNames(resource, overlay.fields ?? {}, [...path, name, 'fields'], report),
      );
  }
  const { deprecated, sunset, link } = source;
  return { number, deprecated, sunset, link, hiddenResources, names };
}

/** Stored name → name in the version, null where it is hidden; names that stay are left out. */
function buildNames(
  resource: DraftResource,
  overlay: Readonly<Record<string, false | { readonly from: string }>>,
  path: readonly string[],
  report: Report,
): ReadonlyMap<string, string | null> {
  const stored = [...resource.fields.keys(), ...resource.relations.keys()];
  const names = new Map<string, string | null>();
  for (const [name, change] of Object.entries(overlay)) {
    const from = change === false ? name : change.from;
    if (!stored.includes(from)) {
      const at = change === false ? [...path, name] : [...path, name, 'from'];
      report(at, unknownName('field', from, stored));
      continue;
    }
    if (names.has(from)) report([...path, name], `${from} is already changed in this version`);
    if (from === 'id') report([...path, name], 'id can be neither hidden nor renamed');
    const field = resource.fields.get(from);
    if (change === false && field?.required === true && field.default === undefined)
      report([...path, name], `${from} is required and has no default, so it cannot be hidden`);
    names.set(from, change === false ? null : name);
  }
  const shown = stored.map((name) => (names.has(name) ? names.get(name) : name));
  for (const [name, change] of Object.entries(overlay))
    if (change !== false && shown.filter((other) => other === name).length > 1)
      report([...path, name], `${name} is already the name of another field of ${resource.name}`);
  return names;
}
