import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as TypeScript from '../../test/tools/node_modules/typescript/lib/typescript.js';

/** The compiler that has an API for programs: that of the version before. */
const ts = createRequire(new URL('../../test/tools/package.json', import.meta.url))(
  'typescript',
) as typeof TypeScript;

const root = fileURLToPath(new URL('../..', import.meta.url));

const entries = [
  ['plinth', 'src/index.ts', 'Serves an API in your own process, and gives types to own code.'],
  ['plinth/test', 'src/test.ts', 'Tests against an API in their own process.'],
] as const;

/** What programs can import from the package, with its comments: `docs/reference/package.md`. */
export function packageReference(): string {
  const program = ts.createProgram(
    entries.map(([, file]) => `${root}/${file}`),
    {
      target: ts.ScriptTarget.ES2024,
      module: ts.ModuleKind.NodeNext,
      strict: true,
      exactOptionalPropertyTypes: true,
      types: ['node'],
      allowImportingTsExtensions: true,
      noEmit: true,
    },
  );
  const checker = program.getTypeChecker();
  const sections = entries.map(([name, file, purpose]) => {
    const source = program.getSourceFile(`${root}/${file}`);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is no module`);
    const members = checker
      .getExportsOfModule(module)
      .map((symbol) => [symbol.name, declared(checker, symbol)] as const)
      .toSorted(([a], [b]) => a.localeCompare(b, 'en'));
    return [
      `## ${name}`,
      purpose,
      ...members.flatMap(([member, text]) => [`### ${member}`, fenced(text)]),
    ].join('\n\n');
  });
  return `${[
    '# Package',
    'What a program imports. Changes to it are in the [changelog](../../CHANGELOG.md).',
    ...sections,
  ].join('\n\n')}\n`;
}

/** With a fence longer than those of its comments. */
function fenced(text: string): string {
  const fence = text.includes('```') ? '````' : '```';
  return `${fence}ts\n${text}\n${fence}`;
}

/** The declarations behind an export, with their comments and without bodies. */
function declared(checker: TypeScript.TypeChecker, symbol: TypeScript.Symbol): string {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const declarations = target.declarations ?? [];
  if (declarations.length === 0) throw new Error(`${symbol.name} is declared nowhere`);
  return declarations.map((one) => textOf(one)).join('\n\n');
}

/** From its comment on; functions and methods without their bodies. */
function textOf(declaration: TypeScript.Declaration): string {
  const source = declaration.getSourceFile();
  const { text } = source;
  const comment = ts.getLeadingCommentRanges(text, declaration.getFullStart())?.at(-1);
  const start = declaration.getStart(source);
  const isDocumented = comment !== undefined && text.startsWith('/**', comment.pos);
  const bodies: TypeScript.Node[] = [];
  const visit = (node: TypeScript.Node): void => {
    if (ts.isBlock(node)) bodies.push(node);
    else ts.forEachChild(node, visit);
  };
  visit(declaration);
  let from = isDocumented ? comment.pos : start;
  let shown = '';
  for (const body of bodies) {
    shown += `${text.slice(from, body.getFullStart())};`;
    from = body.end;
  }
  return `${shown}${text.slice(from, declaration.end)}`.replaceAll(
    /^ *\/\/ oxlint-disable.*\n/gmu,
    '',
  );
}
