import type { Field } from '../../model/api.ts';

/** The types of records, bodies and the objects in them, whose names are different. */
export class DeclaredTypes {
  private readonly texts = new Map<string, string>();
  private readonly waiting: string[] = [];
  private readonly used: Set<string>;

  /** `names` are those of records. */
  constructor(names: readonly string[]) {
    this.used = new Set([...names.flatMap(withBodies), ...ofTheFile]);
  }

  /** Whether a record, a body or an object has this name. */
  has(name: string): boolean {
    return this.used.has(name) && !ofTheFile.includes(name);
  }

  /** The name of the type of an object: `base`, or a longer one if another type has that. */
  nameFor(base: string, members: readonly string[]): string {
    const text = members.join('\n');
    for (let number = 0; ; number += 1) {
      const name = number === 0 ? base : number === 1 ? `${base}Input` : `${base}Input${number}`;
      if (this.texts.get(name) === text) return name;
      if (this.used.has(name)) continue;
      this.used.add(name);
      this.texts.set(name, text);
      this.waiting.push(interfaceOf(name, members));
      return name;
    }
  }

  /** The name of one more record, and of its bodies: `base`, or a longer one if another type has one of these names. */
  nameForRecord(base: string): string {
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? base : `${base}${number}`;
      const own = withBodies(name);
      if (own.some((one) => this.used.has(one))) continue;
      for (const one of own) this.used.add(one);
      return name;
    }
  }

  /** The types since the last call. */
  take(): readonly string[] {
    return this.waiting.splice(0);
  }
}

/** The types that every client has, and that others name. */
const ofTheFile = [
  'JsonValue',
  'JsonInput',
  'Resources',
  'OwnerResources',
  'AllResources',
  'CodeResources',
];

/** The name of a record, and those of its bodies. */
function withBodies(name: string): readonly string[] {
  const suffixes = ['', 'Create', 'CreateMembers', 'Replace', 'ReplaceMembers', 'Update'];
  return suffixes.map((suffix) => `${name}${suffix}`);
}

export function interfaceOf(
  name: string,
  members: readonly string[],
  description?: string,
): string {
  const doc = description === undefined ? '' : `${comment(description)}\n`;
  return `${doc}export interface ${name} {\n${members.map((line) => indent(line)).join('\n')}\n}\n`;
}

export function memberOf(name: string, type: string, isOptional: boolean, field?: Field): string {
  const { description } = field?.attributes ?? {};
  const doc = description === undefined ? '' : `${comment(description)}\n`;
  return `${doc}${key(name)}${isOptional ? '?' : ''}: ${type}${isOptional ? ' | undefined' : ''};`;
}

/** A name as the member of an object has it. */
export function key(name: string): string {
  return /^[a-z_$][\w$]*$/iu.test(name) ? name : JSON.stringify(name);
}

function comment(text: string): string {
  return `/** ${oneLine(text).replaceAll('*/', '* /')} */`;
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

export function indent(text: string): string {
  return text.replaceAll(/^/gmu, '  ');
}

export function union(names: readonly string[]): string {
  return names.length === 0 ? 'never' : names.map((name) => JSON.stringify(name)).join(' | ');
}
