import type { Api, Field } from '../model/api.ts';
import { fieldsIn, withFields } from '../model/template.ts';
import { isJsonObject } from '../model/values.ts';
import { fieldNameIn, type FieldView, type ResourceView } from '../model/view.ts';
import type { FieldSpecification, JsonValue } from '../specification/specification.ts';
import type { Generator } from './generator.ts';
import { settingsOf } from './settings.ts';
import { rowOfId } from './ids.ts';
import { unlessProblem } from './problem.ts';
import type { RowValues } from './row-values.ts';

/** Where a value comes from. */
type Origin = 'generated' | 'written' | 'default';

interface InspectedField {
  readonly source: Origin;
  readonly generator: string | null;
  readonly args: JsonValue;
  readonly template: string | null;
  readonly transformations: readonly string[];
}

/** What `_inspect=data` shows. See docs/contract/7-data-debug-dashboard.md#inspecting-data. */
export interface Inspection {
  readonly resource: string;
  readonly schema: Readonly<Record<string, object>>;
  readonly generation: { readonly seed: number; readonly locale: string; readonly count: number };
  readonly fields: Readonly<Record<string, InspectedField>>;
}

/**
 * Describes where the shown values come from, for the fields that the caller may read. Of several records a field is
 * `generated` if it is in all of them, and `written` if it is in one. `generator` is undefined if the file cannot be
 * generated.
 */
export function inspectRecords(
  api: Api,
  resourceView: ResourceView,
  records: readonly Readonly<Record<string, unknown>>[],
  generator: Generator | undefined,
): Inspection {
  const { resource, name } = resourceView;
  const views = [...resourceView.fields.values()];
  const settings = generator?.settings ?? settingsOf(api);
  const idName = fieldNameIn(views, resource.id) ?? 'id';
  const rows = records.map((record) => {
    const id = record[idName] as JsonValue;
    const number = rowOfId(resource, id, settings.seed);
    return number === undefined ? undefined : generator?.rowsOf(resource).row(number);
  });
  const origin = ({ name: shown, field }: FieldView): Origin => {
    const origins = new Set(
      records.map((record, index) =>
        originOf(record[shown] as JsonValue, field, rows[index], generator),
      ),
    );
    return origins.has('written') ? 'written' : origins.has('default') ? 'default' : 'generated';
  };
  const isShownIn = ({ name: shown }: FieldView): boolean =>
    records.every((record) => shown in record);
  return {
    resource: name,
    schema: Object.fromEntries(
      views.map((view) => [view.name, shownDefinition(view, resourceView)]),
    ),
    generation: { ...settings, count: countOf(resourceView, generator) ?? settings.count },
    fields: Object.fromEntries(
      views
        .filter(isShownIn)
        .map((view) => [
          view.name,
          { source: origin(view), ...described(view, resourceView, generator) },
        ]),
    ),
  };
}

function countOf({ resource }: ResourceView, generator: Generator | undefined): number | undefined {
  return unlessProblem(() => generator?.countOf(resource));
}

function originOf(
  value: JsonValue,
  field: Field,
  row: RowValues | undefined,
  generator: Generator | undefined,
): Origin {
  const { resource } = field;
  const isId = field === resource.id;
  const rows = generator?.rowsOf(resource);
  const position = rows?.positionOf(field.name);
  const made =
    row === undefined || position === undefined ? undefined : unlessProblem(() => row.at(position));
  const count = unlessProblem(() => generator?.countOf(resource)) ?? 0;
  // Ids beyond the generated rows were given by the service.
  if (isId) return row !== undefined && row.number <= count ? 'generated' : 'default';
  if (made !== undefined && isShown(value, made)) return 'generated';
  if (field.default?.kind === 'value' && isShown(value, field.default.value)) return 'default';
  return field.default !== undefined && field.default.kind !== 'value' && field.readOnly
    ? 'default'
    : 'written';
}

/** Whether a shown value is the whole value, or the requested part of it. */
function isShown(shown: JsonValue, whole: JsonValue): boolean {
  if (!isJsonObject(shown)) return JSON.stringify(shown) === JSON.stringify(whole);
  return (
    isJsonObject(whole) &&
    Object.entries(shown).every(
      ([name, member]) => name in whole && isShown(member, whole[name] ?? null),
    )
  );
}

/**
 * The definition in the file, without names that the caller may not see, and with what a relation or `timestamps` says of
 * the field.
 */
function shownDefinition({ field }: FieldView, resourceView: ResourceView): object {
  const { attributes, reference, required, nullable, unique, readOnly } = field;
  const target = reference && targetName(resourceView, reference.field);
  return {
    ...shownAttributes(attributes, resourceView),
    ...(required ? { required } : {}),
    ...(required && nullable ? { nullable } : {}),
    ...(unique ? { unique } : {}),
    ...(readOnly ? { readOnly } : {}),
    ...(target === undefined ? {} : { reference: target }),
  };
}

function shownAttributes(attributes: FieldSpecification, resourceView: ResourceView): object {
  const { access: _access, column: _column, reference: _reference, ...shown } = attributes;
  const { template, properties, items, ...others } = shown;
  const named = template === undefined ? undefined : templateIn(resourceView, template);
  const members = Object.entries(properties ?? {}).map(([name, member]) => [
    name,
    shownAttributes(member, resourceView),
  ]);
  return {
    ...others,
    ...(named === undefined ? {} : { template: named }),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(members) }),
    ...(items === undefined ? {} : { items: shownAttributes(items, resourceView) }),
  };
}

/** The name of the field that a key leads to, if a relation of this view leads there. */
function targetName(resourceView: ResourceView, target: Field): string | undefined {
  for (const { relation, target: targetOf } of resourceView.relations.values()) {
    if (relation.kind !== 'belongsTo' || relation.targetField !== target) continue;
    const other = targetOf(relation.target);
    const name = fieldNameIn(other?.fields.values() ?? [], target);
    if (other !== undefined && name !== undefined) return `${other.name}.${name}`;
  }
  return undefined;
}

/** A template in the names of this view; undefined if it uses a field that the caller may not read. */
function templateIn(resourceView: ResourceView, template: string): string | undefined {
  const names = new Map(
    [...resourceView.fields.values()].map(({ field, name }) => [field.name, name]),
  );
  if (!fieldsIn(template).every((name) => names.has(name))) return undefined;
  return withFields(template, (name) => names.get(name) ?? name);
}

function described(
  { field }: FieldView,
  resourceView: ResourceView,
  generator: Generator | undefined,
): Omit<InspectedField, 'source'> {
  const { template, transform = [] } = field.attributes;
  const transformations = [...transform];
  const nothing = { generator: null, args: null, template: null, transformations };
  if (template !== undefined)
    return { ...nothing, template: templateIn(resourceView, template) ?? null };
  const source = unlessProblem(() => generator?.rowsOf(field.resource).sourceOf(field));
  return source === undefined
    ? nothing
    : { ...nothing, generator: source.name, args: source.args ?? null };
}
