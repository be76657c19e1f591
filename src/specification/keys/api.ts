import { map, object, required, scalarOrMap } from '../parsers/collections.ts';
import { consistent, exactly } from '../parsers/definition.ts';
import { fieldNames, resourceNames, versionNumbers } from '../parsers/names.ts';
import { boolean, choice, date, integer, no, text } from '../parsers/scalars.ts';
import type { PaginationMode, Specification, VersionSpecification } from '../specification.ts';
import { fieldName, webAddress } from './common.ts';

/** `pagination` of the API and of a resource. */
export const pagination = exactly<PaginationMode>()(
  choice(['page', 'cursor'], {
    description:
      'How a list is paged when the request names neither `page`, `offset` nor `cursor`: `page` (an array; so it is if nothing is said) or `cursor` (an object with `next_cursor`).',
  }),
);

const fieldOverlay = scalarOrMap(
  no({ description: '`false` hides the field in this version.' }),
  object({ from: required(fieldName('The name of the field in `resources`.')) }),
  { expects: 'false, to hide it, or { from: its name in `resources` }' },
);

const resourceOverlay = scalarOrMap(
  no({ description: '`false` hides the resource in this version.' }),
  object({
    fields: map(fieldNames, fieldOverlay, {
      description: 'Name in this version → `{ from: name }`, or `false` to hide it.',
      expects: 'a map of field name to false or { from: name }',
    }),
  }),
  { expects: 'false, to hide it, or a map with `fields`' },
);

const version = consistent(
  exactly<VersionSpecification>()(
    object(
      {
        deprecated: date({ description: 'Since when this version is deprecated.' }),
        sunset: date({ description: 'The day from which this version answers 410.' }),
        link: webAddress('A page that says how to move on.'),
        resources: map(resourceNames, resourceOverlay, {
          description: 'What is named otherwise or hidden in this version.',
          expects: 'a map of resource name to false or { fields: … }',
        }),
      },
      {
        description:
          'A version: renames and hides on the same storage; {} is the storage as it is.',
        expects: 'a map such as { sunset: 2027-01-01 }, or {} for the resources as they are',
      },
    ),
  ),
  ['deprecated', 'sunset'],
  ({ deprecated, sunset }, report) => {
    if (deprecated !== undefined && sunset !== undefined && sunset < deprecated) {
      report(['sunset'], `\`sunset\` (${sunset}) comes before \`deprecated\` (${deprecated})`);
    }
  },
);

/**
 * `api`. See docs/contract/1-specification-file.md#top-level-keys and docs/contract/1-specification-file.md#versions.
 */
export const api = consistent(
  exactly<NonNullable<Specification['api']>>()(
    object(
      {
        basePath: text({
          description: 'What every path of the API begins with, such as `/api`.',
          expects: 'a path such as /api, without a slash at the end, or ""',
          pattern: /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)*$/,
          allowEmpty: true,
          default: '',
        }),
        versions: map(versionNumbers, version, {
          description:
            'The versions that are served: number → overlay. Without it there is `/v1` alone.',
          expects: 'a map of version number to overlay, such as { 1: {} }',
          minimum: 1,
        }),
        defaultVersion: integer({
          description:
            'The version that paths without a number mean; else the highest that is not deprecated.',
          minimum: 1,
        }),
        unversioned: boolean({
          description: 'Whether `/<resource>` is served beside `/v<N>/<resource>`.',
          default: true,
        }),
        pagination,
        csvFormulas: choice(['keep', 'escape'], {
          description:
            "Texts in CSV lists that a spreadsheet takes for formulas: `keep` sends them as they are, `escape` puts `'` before them.",
          default: 'keep',
        }),
      },
      { description: 'Paths, versions and paging.' },
    ),
  ),
  ['versions', 'defaultVersion'],
  ({ versions = { 1: {} }, defaultVersion }, report) => {
    if (defaultVersion === undefined || Object.hasOwn(versions, String(defaultVersion))) return;
    const known = Object.keys(versions).join(', ');
    report(
      ['defaultVersion'],
      `there is no version ${defaultVersion}; \`api.versions\` has ${known}`,
    );
  },
);
