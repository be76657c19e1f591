import type { Report } from '../../specification/problems.ts';
import type { Specification, VersionSpecification } from '../../specification/specification.ts';
import type { Api, Field, Resource, Version } from '../api.ts';
import { isSameName } from './fields.ts';
import { memberNames, type DraftResource, type Drafts } from './draft.ts';
import { reportUnknown } from './names.ts';

/** Checks the version overlays and picks the default version. See docs/contract/1-specification-file.md#versions. */
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
      reportUnknown([...path, name], 'resource', name, resources.keys(), report);
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
  const stored = memberNames(resource);
  const names = new Map<string, string | null>();
  for (const [name, change] of Object.entries(overlay)) {
    const place = [...path, name];
    const from = change === false ? name : change.from;
    if (!stored.has(from)) {
      reportUnknown(change === false ? place : [...place, 'from'], 'field', from, stored, report);
      continue;
    }
    if (names.has(from)) report(place, `${from} is changed in this version already`);
    if (from === 'id') report(place, 'id can be neither hidden nor renamed');
    else if (change === false && mustBeSent(resource.fields.get(from)))
      report(place, `${from} is required, so to be hidden it needs a default`);
    names.set(from, change === false ? null : name);
  }
  for (const [from, name] of names) {
    const other = [...stored].find(
      (one) =>
        one !== from && isSameName(names.get(one) ?? one, name ?? '') && names.get(one) !== null,
    );
    if (name !== null && name !== from && other !== undefined)
      report([...path, name], `${name} is the name of ${other} already; hide or rename that one`);
  }
  return names;
}

/** Whether a create without this field fails. */
function mustBeSent(field: Field | undefined): boolean {
  return field?.default === undefined && (field?.required === true || field?.nullable === false);
}
