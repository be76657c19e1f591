import { readFileSync } from 'node:fs';
import { registerHooks, type ResolveHookSync } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../lib/message-of.ts';
import { latestFiles, loadFresh } from '../lib/modules/fresh-modules.ts';
import { locateModule } from '../lib/modules/own-modules.ts';
import { packageModule } from '../lib/modules/package-files.ts';
import type { Api, CodeNeeds, Field } from '../model/api.ts';
import { collectProblems, inOrder, type PositionOf } from '../specification/parsers/collector.ts';
import type { Position, Problem } from '../specification/problems.ts';
import { checkCode, checkFilledFields, type ReportMember } from './check.ts';
import type { Code, ResourceCode } from './code.ts';
import { readComputed, type OwnField } from './computed.ts';
import { readEndpoints, type Endpoint } from './endpoints/endpoint.ts';
import { RouteTable } from './endpoints/route-table.ts';
import { positionIn } from './position.ts';

/** Own code that was loaded, and fits the Api. */
export class LoadedCode {
  /** For messages. */
  readonly file: string;
  /** By the names of resources. */
  readonly resources: ReadonlyMap<string, ResourceCode>;
  readonly endpoints: readonly Endpoint[];
  /** Undefined without endpoints. */
  readonly routes: RouteTable<Endpoint> | undefined;
  /** The functions that compute fields. */
  readonly computed: ReadonlyMap<Field, OwnField>;
  readonly needs: ReadonlyMap<Field, CodeNeeds>;
  /** Whether some resource has a hook on writes. */
  readonly hasHooks: boolean;
  /** The names of the resources with a `beforeCreate`. */
  readonly filled: ReadonlySet<string>;
  private readonly code: Code;
  private isServed = false;

  constructor(
    file: string,
    code: Code,
    endpoints: readonly Endpoint[],
    computed: readonly OwnField[],
  ) {
    this.file = file;
    this.code = code;
    const entries: readonly (readonly [string, ResourceCode | undefined])[] = Object.entries(
      code.resources ?? {},
    );
    this.resources = new Map(
      entries.flatMap(([name, own]) => (own === undefined ? [] : [[name, own] as const])),
    );
    this.endpoints = endpoints;
    this.routes = endpoints.length === 0 ? undefined : new RouteTable(endpoints);
    this.filled = new Set(
      [...this.resources].flatMap(([name, own]) => (own.beforeCreate === undefined ? [] : name)),
    );
    this.computed = new Map(computed.map((own) => [own.field, own]));
    this.needs = new Map(computed.map(({ field, needs }) => [field, needs]));
    this.hasHooks = [...this.resources.values()].some(
      ({ beforeCreate, beforeUpdate, beforeDelete, afterCommit }) =>
        (beforeCreate ?? beforeUpdate ?? beforeDelete ?? afterCommit) !== undefined,
    );
  }

  /** The Api that this code belongs to, with what it fills and computes. */
  filling(api: Api): Api {
    return { ...api, filledByCode: this.filled, codeNeeds: this.needs };
  }

  /** Calls its `start`, unless the same module is served already. */
  async start(): Promise<void> {
    const serving = served.get(this.code) ?? 0;
    served.set(this.code, serving + 1);
    this.isServed = true;
    try {
      if (serving === 0) await this.code.start?.();
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  /** Calls its `stop` if it was started, unless the module is still served. */
  async stop(): Promise<void> {
    if (this.isServed && this.leave() === 0) await this.code.stop?.();
  }

  /** Returns how often the module is still served. */
  private leave(): number {
    this.isServed = false;
    const serving = (served.get(this.code) ?? 1) - 1;
    served.set(this.code, serving);
    return serving;
  }
}

/** How often each module is served: a reload of the file serves the same module again. */
const served = new WeakMap<Code, number>();

/** Where own code is named: the specification. */
export interface CodeSource {
  /** The name of the specification, for messages. */
  readonly name: string;
  readonly api: Api;
  readonly folder: string;
  readonly positionOf: PositionOf;
}

/** What loading gave. With an error among the problems, the code cannot be served. */
export interface CodeResult {
  /** Undefined without a module, and if there are errors. */
  readonly code: LoadedCode | undefined;
  readonly problems: readonly Problem[];
}

/** Loads the module of `code`, and finds all that does not fit the Api. */
export async function loadCode(source: CodeSource): Promise<CodeResult> {
  const { api, folder, name } = source;
  const { code: written } = api.settings;
  if (written === undefined) return { code: undefined, problems: [] };
  const inFile = collectProblems(name, source.positionOf);
  const rule = 'code';
  let path: string;
  try {
    path = locateModule(folder, written);
  } catch (error) {
    inFile.report(['code'], `${written} cannot be used: ${messageOf(error)}`, 'error', { rule });
    return { code: undefined, problems: inFile.problems() };
  }
  const file = join(dirname(name), written);
  const text = readFileSync(path, 'utf8');
  const inModule = collectProblems(file, (at) => ({ ...positionIn(text, at), written: '' }));
  let exported: unknown;
  serveOwnPackage();
  const load = loadFresh(path);
  try {
    ({ default: exported } = await load.exports);
  } catch (error) {
    const { place, other } = placeOf(path, load.files, error);
    const where = other === undefined ? '' : `${relative(dirname(path), other)}: `;
    const message = `cannot be loaded: ${where}${messageOf(error)}`;
    inModule.reportAt(place, [], message, 'error', { rule });
    return { code: undefined, problems: inModule.problems() };
  }
  const code = await readCode(
    exported,
    api,
    file,
    (at, message, severity = 'error') => inModule.report(at, message, severity, { rule }),
    (at, message) => inFile.report(at, message, 'error', { rule }),
  );
  const problems = [...inFile.problems(), ...inOrder(inModule.problems())];
  const isUsable = problems.every(({ severity }) => severity !== 'error');
  return { code: isUsable ? code : undefined, problems };
}

/**
 * Own code of what a module exports, named `file` in messages; undefined if it is nothing of the kind. It cannot be served if
 * an error is reported: `report` gets those of the module, `reportInFile` those of the specification.
 */
export async function readCode(
  exported: unknown,
  api: Api,
  file: string,
  report: ReportMember,
  reportInFile: (path: readonly string[], message: string) => void,
): Promise<LoadedCode | undefined> {
  const code = checkCode(exported, api, report);
  if (code === undefined) return undefined;
  checkFilledFields(code, api, reportInFile);
  const endpoints = await readEndpoints(code.endpoints, api, report);
  const computed = readComputed(code, api, report, reportInFile);
  return new LoadedCode(file, code, endpoints, computed);
}

/** The module of `code` and what it imports, as far as it was loaded; empty without `code`. */
export function codeFiles({ settings }: Api, folder: string): readonly string[] {
  if (settings.code === undefined) return [];
  const written = resolve(folder, settings.code);
  try {
    const path = locateModule(folder, settings.code);
    return [...new Set([written, path, ...latestFiles(path)])];
  } catch {
    return [written];
  }
}

/** Where an error happened: in the module, else in a file that it imports (`other`), with the place of the first line. */
function placeOf(
  path: string,
  files: ReadonlySet<string>,
  error: unknown,
): { readonly place: Position; readonly other: string | undefined } {
  const first = { line: 1, column: 1 };
  const own = placeIn(path, error);
  if (own !== undefined) return { place: own, other: undefined };
  for (const file of files) {
    const place = placeIn(file, error);
    if (place !== undefined)
      return { place: first, other: `${file}:${place.line}:${place.column}` };
  }
  return { place: first, other: undefined };
}

/** Where in a file an error happened, from the stack of Node; undefined if it does not say. */
function placeIn(path: string, error: unknown): Position | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  for (const name of [pathToFileURL(path).href, path]) {
    const [, rest] = stack.split(name, 2);
    const [, line, column] = /^(?:\?\w+=\w+)?:(\d+)(?::(\d+))?/u.exec(rest ?? '') ?? [];
    if (line === undefined) continue;
    // A syntax error has its column only in the marks below the line.
    const marks = /\n( *)\^/u.exec(rest ?? '');
    return { line: Number(line), column: Number(column ?? (marks?.[1]?.length ?? 0) + 1) };
  }
  return undefined;
}

let isServed = false;

/** Lets modules import this package as `plinth`, wherever they are and however it is installed. */
function serveOwnPackage(): void {
  if (isServed) return;
  isServed = true;
  const url = packageModule('index').href;
  const resolve: ResolveHookSync = (specifier, context, next) =>
    specifier === 'plinth' ? { url, shortCircuit: true } : next(specifier, context);
  registerHooks({ resolve });
}
