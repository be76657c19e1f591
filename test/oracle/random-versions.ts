import {
  fieldsOf,
  World,
  type Definition,
  type Document,
  type Item,
} from '../support/oracle-model.ts';
import { mustBeSent } from './random-fields.ts';
import { fieldNames, Names } from './random-names.ts';
import type { Draw } from './draw.ts';

/** A second version of a random specification: what it renames and hides, and what is left to see. */

export type Overlay = Readonly<
  Record<string, false | { readonly fields: Readonly<Record<string, false | { from: string }>> }>
>;

function membersOf(document: Document, resource: string): [string, Definition][] {
  return fieldsOf(document, resource).filter(([name]) => name !== 'id');
}

/** Whether something morphs to or from the resource: the oracle knows owners by what the file says of them. */
function isInMorph(document: Document, resource: string): boolean {
  return Object.keys(document.resources).some((name) =>
    fieldsOf(document, name).some(
      ([, one]) =>
        (one.relation === 'morphMany' && (name === resource || one.resource === resource)) ||
        (one.relation === 'morphTo' &&
          (name === resource || one.resources?.includes(resource) === true)),
    ),
  );
}

/** Renames and hides, as a version of the file may. */
export function randomOverlay(draw: Draw, document: Document): Overlay {
  const overlay: Record<string, Overlay[string]> = {};
  for (const resource of Object.keys(document.resources)) {
    const members = membersOf(document, resource);
    const names = new Names(draw, ['id', 'pivot', ...members.map(([name]) => name)]);
    const fields: Record<string, false | { from: string }> = {};
    if (!isInMorph(document, resource) && draw.chance(6)) {
      overlay[resource] = false;
      continue;
    }
    for (const [name, definition] of members) {
      const isFree = !mustBeSent(definition) && !isMorph(members, name);
      if (draw.chance(25)) fields[names.from(fieldNames)] = { from: name };
      else if (isFree && draw.chance(12)) fields[name] = false;
    }
    const [a, b] = members.map(([name]) => name).filter((name) => !isChanged(fields, name));
    if (a !== undefined && b !== undefined && draw.chance(20))
      Object.assign(fields, { [a]: { from: b }, [b]: { from: a } });
    if (Object.keys(fields).length > 0) overlay[resource] = { fields };
  }
  return overlay;
}

/** Whether a member is part of a morph relation: the oracle knows its owners by what it sees of all of it. */
function isMorph(members: readonly [string, Definition][], name: string): boolean {
  return members.some(
    ([member, { relation = '', typeField, idField }]) =>
      (member === name && relation.startsWith('morph')) ||
      (relation === 'morphTo' && [typeField, idField].includes(name)),
  );
}

/** Whether a version calls a member otherwise, or hides it. */
export function isChanged(
  fields: Readonly<Record<string, false | { from: string }>>,
  name: string,
): boolean {
  return Object.entries(fields).some(
    ([key, change]) => (change === false ? key : change.from) === name,
  );
}

/** The face of a specification in one version. */
export class VersionFace {
  readonly document: Document;
  private readonly overlay: Overlay;
  private readonly stored: Document;

  constructor(stored: Document, overlay: Overlay) {
    this.stored = stored;
    this.overlay = overlay;
    const seen = Object.entries(stored.resources).filter(([name]) => overlay[name] !== false);
    this.document = {
      limits: stored.limits,
      resources: Object.fromEntries(
        seen.map(([name, { groups = {}, pagination }]) => [
          name,
          {
            fields: Object.fromEntries(
              fieldsOf(stored, name).flatMap(([member, definition]) => {
                const own = this.nameOf(name, member);
                const shown = own === undefined ? undefined : this.face(name, definition);
                return own === undefined || shown === undefined ? [] : [[own, shown]];
              }),
            ),
            groups: Object.fromEntries(
              Object.entries({ ...stored.groups, ...groups }).map(([group, members]) => [
                group,
                members
                  .filter((member) => fieldsOf(stored, name).some(([one]) => one === member))
                  .flatMap((member) => this.nameOf(name, member) ?? []),
              ]),
            ),
            ...(pagination === undefined ? {} : { pagination }),
          },
        ]),
      ),
    };
  }

  /** The name of a member in this version; undefined where it is hidden. */
  private nameOf(resource: string, member: string): string | undefined {
    const overlay = this.overlay[resource];
    if (overlay === false) return undefined;
    for (const [name, change] of Object.entries(overlay?.fields ?? {}))
      if ((change === false ? name : change.from) === member)
        return change === false ? undefined : name;
    return member;
  }

  /** A definition in the names of this version; undefined for a relation whose keys are not all to be seen. */
  private face(resource: string, definition: Definition): Definition | undefined {
    const { reference, relation, foreignKey = '', through = '', typeField = '' } = definition;
    const { resource: target = '', idField = '', withPivot } = definition;
    if (reference !== undefined) {
      const [other = '', field = ''] = reference.split('.');
      const { reference: _, ...plain } = definition;
      const name = this.nameOf(other, field);
      return name === undefined ? plain : { ...plain, reference: `${other}.${name}` };
    }
    const keys = (owner: string, ...names: string[]): (string | undefined)[] =>
      names.map((name) => this.nameOf(owner, name));
    if (relation === undefined) return definition;
    if (this.overlay[target] === false) return undefined;
    switch (relation) {
      case 'belongsTo':
      case 'hasOne':
      case 'hasMany': {
        const owner = relation === 'belongsTo' ? resource : target;
        const [key] = keys(owner, foreignKey);
        const { reference: to = '' } = this.stored.resources[owner]?.fields[foreignKey] ?? {};
        const [other = '', field = ''] = to.split('.');
        const isSeen = this.nameOf(other, field) !== undefined;
        return key === undefined || !isSeen ? undefined : { ...definition, foreignKey: key };
      }
      case 'belongsToMany': {
        const both = fieldsOf(this.stored, through)
          .filter(
            ([, one]) => one.reference === `${resource}.id` || one.reference === `${target}.id`,
          )
          .map(([name]) => name);
        const [key, ...others] = keys(through, foreignKey, ...both);
        if (key === undefined || others.includes(undefined)) return undefined;
        const pivot = withPivot?.flatMap((name) => this.nameOf(through, name) ?? []);
        return {
          ...definition,
          foreignKey: key,
          ...(pivot === undefined ? {} : { withPivot: pivot }),
        };
      }
      default: {
        const [type, id] = keys(relation === 'morphTo' ? resource : target, typeField, idField);
        return type === undefined || id === undefined
          ? undefined
          : { ...definition, typeField: type, idField: id };
      }
    }
  }

  /** The oracle of this version, with the records that are stored. */
  world(data: Readonly<Record<string, readonly Item[]>>): World {
    const world = new World(this.document);
    world.fill(
      Object.fromEntries(
        [...world.resources].map(([name, { fields }]) => [
          name,
          (data[name] ?? []).map((item) =>
            Object.fromEntries(
              Object.entries(item).flatMap(([member, value]) => {
                const own = this.nameOf(name, member);
                return own === undefined || !fields.has(own) ? [] : [[own, value]];
              }),
            ),
          ),
        ]),
      ),
    );
    return world;
  }
}
