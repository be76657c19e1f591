import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';

/**
 * Writes docs/images/demo.svg: a terminal session, recorded from a real run on the file of the README. `npm run
 * docs:recording` repeats it; test/documents/recording.test.ts fails when it no longer shows what the program does.
 */
const root = resolve(import.meta.dirname, '..');
const image = resolve(root, 'docs/images/demo.svg');

interface Scene {
  readonly command: readonly string[];
  readonly output: readonly string[];
  readonly language: 'yaml' | 'text' | 'json';
}

/** A request, what of its answer is shown, and how that is written for jq. */
interface Ask {
  readonly path: string;
  readonly json?: string;
  readonly filter: string;
  readonly pick: (body: never) => unknown;
}

const asks: readonly Ask[] = [
  {
    path: '/v1/albums?price_lt=100&sort=-price&limit=2&expand=artist',
    filter: '',
    pick: (body) => body,
  },
  {
    path: '/v1/albums',
    json: '{"titel": "Blue", "price": -1, "artistId": "nobody"}',
    filter: " '[.validationErrors[] | {field, error}]'",
    pick: ({ validationErrors }: { readonly validationErrors: readonly Problem[] }) =>
      validationErrors.map(({ field, error }) => ({ field, error })),
  },
  {
    path: '/v1/albums?price_gt=500&_debug=plan',
    filter: " '._debug.database.queries[0] | {plan, index}'",
    pick: ({ _debug }: { readonly _debug: Debug }) => {
      const [query] = _debug.database.queries;
      return { plan: query?.plan, index: query?.index };
    },
  },
];

interface Problem {
  readonly field: string;
  readonly error: string;
}

interface Debug {
  readonly database: { readonly queries: readonly { plan: unknown; index: unknown }[] };
}

/** What a terminal would show, from a server that runs in a folder of its own. */
async function record(): Promise<readonly Scene[]> {
  const readme = readFileSync(resolve(root, 'README.md'), 'utf8');
  const [, specification = ''] = /```yaml\n([\s\S]*?)```/u.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'plinth-recording-'));
  writeFileSync(join(folder, 'plinth.yaml'), specification);
  const main = resolve(root, 'src/cli/main.ts');
  const server = spawn(process.execPath, [main, 'dev', '--port', '0'], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let banner = '';
    for await (const chunk of server.stdout) {
      banner += String(chunk);
      if (banner.includes('Ctrl+C')) break;
    }
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/u.exec(banner) ?? [];
    const answers: Scene[] = [];
    for (const { path, json, filter, pick } of asks) {
      const response = await fetch(`${url}${path}`, {
        ...(json === undefined ? {} : { method: 'POST', body: json }),
        headers: { 'content-type': 'application/json' },
      });
      const shown = JSON.stringify(pick((await response.json()) as never), undefined, 2);
      const target = `$ curl -s "localhost:4000${path}"`;
      const command =
        json === undefined
          ? [
              `${target} |${filter === '' ? ' jq' : ' \\'}`,
              ...(filter === '' ? [] : [`    jq${filter}`]),
            ]
          : [`${target} \\`, `    --json '${json}' | jq${filter}`];
      answers.push({ command, output: shown.split('\n'), language: 'json' });
    }
    const yaml = specification.trimEnd().split('\n');
    const started = banner.trimEnd().replaceAll(url, 'http://127.0.0.1:4000').split('\n');
    return [
      { command: ['$ cat plinth.yaml'], output: yaml, language: 'yaml' },
      { command: ['$ npx plinth dev'], output: started, language: 'text' },
      ...answers,
    ];
  } finally {
    server.kill();
    if (server.exitCode === null) await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

const size = { width: 880, margin: 22, top: 52, line: 19, char: 8.4, font: 14 };
/** Seconds: for a typed character, before the output, for a line of it, and to read a scene. */
const pace = { char: 0.035, before: 0.35, line: 0.05, read: 3.2 };
const still = 2;

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A line with the colours of its language. */
function coloured(line: string, language: Scene['language']): string {
  const [, indent = '', key, rest] =
    (language === 'json' && /^(\s*)("[^"]*":)(.*)$/u.exec(line)) ||
    (language === 'yaml' && /^(\s*)([\w-]+:)(.*)$/u.exec(line)) ||
    [];
  if (key === undefined || rest === undefined) return escape(line);
  return `${indent}<tspan class="key">${escape(key)}</tspan>${escape(rest)}`;
}

function draw(scenes: readonly Scene[]): string {
  const styles: string[] = [];
  const rows = Math.max(...scenes.map(({ command, output }) => command.length + output.length));
  const height = size.top + rows * size.line + size.margin;
  const lengths = scenes.map(
    ({ command, output }) =>
      command.join('').length * pace.char + pace.before + output.length * pace.line + pace.read,
  );
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const percent = (seconds: number): string => `${((seconds / total) * 100).toFixed(2)}%`;
  const animate = (name: string, frames: string): string => {
    styles.push(
      `@keyframes ${name}{${frames}}.${name}{animation:${name} ${total.toFixed(2)}s infinite}`,
    );
    return name;
  };
  const shownBetween = (name: string, from: number, to: number): string =>
    animate(
      name,
      `0%,${percent(from)}{opacity:0}${percent(from + 0.01)},${percent(to - 0.01)}{opacity:1}${percent(to)},100%{opacity:0}`,
    );

  let time = 0;
  const groups = scenes.map(({ command, output, language }, scene) => {
    const end = time + (lengths[scene] ?? 0);
    const group = shownBetween(`s${scene}`, time, end);
    const y = (row: number): number => size.top + row * size.line;
    const text = (row: number, line: string, inner: string, type: string): string =>
      `<text class="${type}" x="${size.margin}" y="${y(row)}" textLength="${(line.length * size.char).toFixed(1)}" xml:space="preserve">${inner}</text>`;
    const typed = command.map((line, row) => {
      const [from, to] = [time, time + line.length * pace.char];
      time = to;
      const width = line.length * size.char + 10;
      const cover = animate(
        `c${scene}${row}`,
        `0%,${percent(from)}{transform:translateX(0);animation-timing-function:steps(${line.length})}${percent(to)},100%{transform:translateX(${width.toFixed(1)}px)}`,
      );
      const blink = shownBetween(`b${scene}${row}`, from, row === command.length - 1 ? end : to);
      const covers = `<g class="cover ${cover}"><rect class="window" x="${size.margin}" y="${y(row) - 14}" width="${size.width}" height="${size.line}"/><rect class="cursor ${blink}" x="${size.margin}" y="${y(row) - 12}" width="8" height="15"/></g>`;
      return text(row, line, escape(line), 'command') + covers;
    });
    time += pace.before;
    const lines = output.map((line, row) => {
      const shown = shownBetween(`l${scene}x${row}`, time + row * pace.line, end);
      return line === '' ? '' : text(command.length + row, line, coloured(line, language), shown);
    });
    time = end;
    return `<g class="scene ${group}${scene === still ? ' still' : ''}">${typed.join('')}${lines.join('')}</g>`;
  });

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" width="${size.width}" height="${height}" role="img">
<title>One file is served, queried and debugged</title>
<style>
text{font:${size.font}px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;fill:#d5dae3;white-space:pre}
.command{fill:#8fd694}.key{fill:#82b7ff}.window{fill:#1b1f27}.cursor{fill:#d5dae3}.scene{opacity:0}
${styles.join('\n')}
@media (prefers-reduced-motion:reduce){*{animation:none!important}.still{opacity:1}.cover{display:none}}
</style>
<clipPath id="frame"><rect width="${size.width}" height="${height}" rx="10"/></clipPath>
<g clip-path="url(#frame)"><rect class="window" width="${size.width}" height="${height}"/>
<circle cx="24" cy="20" r="6" fill="#ff5f57"/><circle cx="44" cy="20" r="6" fill="#febc2e"/><circle cx="64" cy="20" r="6" fill="#28c840"/>
${groups.join('\n')}
</g>
<rect x=".5" y=".5" width="${size.width - 1}" height="${height - 1}" rx="10" fill="none" stroke="#3a404c"/>
</svg>
`;
}

/** The recording of a session that runs now. */
export async function recording(): Promise<string> {
  return draw(await record());
}

if (import.meta.main) writeFileSync(image, await recording());
