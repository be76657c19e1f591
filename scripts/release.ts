import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { thirdParties, unknownLicences } from './licences.ts';

// Everything of a release but the publishing: `npm run release`. What is to be published is in `release/` then.

const root = resolve(import.meta.dirname, '..');
const out = join(root, 'release');
const packages = ['.', 'packages/ra-data-provider', 'packages/refine-data-provider'] as const;
/** The most that an install of `plinth` may take, in MB, without Node. */
const largestInstall = 60;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly repository?: unknown;
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const manifestOf = (folder: string): Manifest =>
  JSON.parse(read(join(folder, 'package.json'))) as Manifest;
const { version } = manifestOf('.');

/** Runs a program; returns what it prints. What it says of errors is shown. */
function run(program: string, args: readonly string[], cwd = root): string {
  return execFileSync(program, [...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
    // As a user's shell has it: npm tells its scripts more. The Node of this process comes first.
    env: {
      ...Object.fromEntries(
        Object.entries(process.env).filter(([name]) => !/^(?:npm_|INIT_CWD$)/u.test(name)),
      ),
      PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    },
  });
}

function require(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise);
}

function step(title: string, work: () => string): void {
  process.stdout.write(`${title}: `);
  process.stdout.write(`${work()}\n`);
}

/** Every place that names the version names this one. */
function checkVersions(): string {
  for (const folder of packages) {
    const { name, version: own } = manifestOf(folder);
    require(own === version, `${name} is ${own}, and plinth ${version}. Give both one version.`);
  }
  const lock = JSON.parse(read('package-lock.json')) as Manifest;
  require(lock.version === version, 'package-lock.json has another version. Run "npm install".');
  for (const [path, text] of [
    ['compose.yaml', `image: plinth:${version}`],
    ['examples/kubernetes/kustomization.yaml', `newTag: ${version}`],
  ] as const)
    require(read(path).includes(text), `${path} does not say "${text}".`);
  const [, heading = '', section = ''] =
    /^## (\[.+?\].*)\n([\s\S]*?)(?=^## \[|(?![\s\S]))/mu.exec(read('CHANGELOG.md')) ?? [];
  require(heading.startsWith(`[${version}] - `) &&
    section.trim() !==
      '', `The first section of CHANGELOG.md is "${heading}". Write "[${version}] - ${new Date().toISOString().slice(0, 10)}" above its changes.`);
  return version;
}

function checkTree(): string {
  const changed = run('git', ['status', '--porcelain']).trim();
  require(changed === '', `Files are not committed:\n${changed}`);
  const tag = `v${version}`;
  require(run('git', ['tag', '--list', tag]).trim() ===
    '', `The tag ${tag} exists. Choose another version.`);
  return run('git', ['rev-parse', '--short', 'HEAD']).trim();
}

function checkLicences(): string {
  const all = thirdParties();
  const others = unknownLicences(all);
  require(others.length === 0, `Look at the licences of ${others.join(', ')}.`);
  return `${all.length} packages`;
}

/** Packs every package into `release/`; returns the tarballs. */
function pack(): readonly string[] {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
  for (const folder of packages)
    run('npm', ['pack', '--silent', '--pack-destination', out], join(root, folder));
  return readdirSync(out)
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => join(out, name));
}

/** The space that a folder takes on the disk, in MB. */
const sizeOf = (path: string): number => Number(run('du', ['-sk', path]).split('\t')[0]) / 1024;

/** Installs `plinth` into an empty project as a user does, runs it, and writes the SBOM of the install. */
function tryPlinth(tarball: string): string {
  const project = mkdtempSync(join(tmpdir(), 'plinth-release-'));
  try {
    writeFileSync(
      join(project, 'package.json'),
      `{ "name": "install-of-plinth", "version": "${version}", "private": true }`,
    );
    run('npm', ['install', '--no-audit', '--no-fund', '--silent', tarball], project);
    const size = sizeOf(join(project, 'node_modules'));
    const tooLarge = `The install takes ${size.toFixed(1)} MB; the most is ${largestInstall}.`;
    require(size <= largestInstall, tooLarge);
    const plinth = (...args: readonly string[]): string =>
      run('npx', ['--no-install', 'plinth', ...args], project);
    require(plinth('--version').trim() === version, 'The installed command has another version.');
    plinth('init', 'shop', '--name', 'Shop', '--example', 'shop');
    plinth('check', 'shop/plinth.yaml');
    writeFileSync(join(project, 'client.ts'), plinth('types', 'shop/plinth.yaml'));
    writeFileSync(join(project, 'serve.mjs'), serving);
    const answer = run('node', ['serve.mjs'], project).trim();
    require(answer === '200 3', `The installed server answers ${answer}, and not 200 3.`);
    return `${size.toFixed(1)} MB`;
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/** Writes the SBOM of an install of `plinth`: npm makes one of a folder, not of a tarball that is installed. */
function writeSbom(tarball: string): string {
  const project = mkdtempSync(join(tmpdir(), 'plinth-release-'));
  const folder = join(project, 'plinth');
  try {
    run('tar', ['-xzf', tarball, '-C', project]);
    renameSync(join(project, 'package'), folder);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object;
    const shipped = { ...manifest, devDependencies: {}, peerDependencies: {}, workspaces: [] };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(shipped));
    run('npm', ['install', '--no-audit', '--no-fund', '--silent', '--ignore-scripts'], folder);
    const sbom = run('npm', ['sbom', '--sbom-format', 'cyclonedx'], folder);
    writeFileSync(join(out, `plinth-${version}.cdx.json`), sbom);
    const { components } = JSON.parse(sbom) as { readonly components: readonly unknown[] };
    return `${components.length} packages`;
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/** A program that serves with the installed command, asks it once, and stops it. */
const serving = `
import { spawn } from 'node:child_process';
const args = ['dev', 'shop/plinth.yaml', '--port', '0'];
const child = spawn('node_modules/.bin/plinth', args, { stdio: ['ignore', 'pipe', 'inherit'] });
let text = '';
child.stdout.setEncoding('utf8');
for await (const part of child.stdout) {
  text += part;
  const url = /http:\\/\\/127\\.0\\.0\\.1:\\d+/.exec(text)?.[0];
  if (url === undefined) continue;
  const response = await fetch(url + '/v1/products?limit=3');
  console.log(response.status, (await response.json()).length);
  break;
}
child.kill('SIGTERM');
`;

/** Installs a data provider into an empty project and imports it. Its peers are not needed for that. */
function tryProvider(tarball: string): string {
  const project = mkdtempSync(join(tmpdir(), 'plinth-release-'));
  try {
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
    run(
      'npm',
      ['install', '--no-audit', '--no-fund', '--silent', '--legacy-peer-deps', tarball],
      project,
    );
    const name = /(plinth-.+-provider)-\d/u.exec(tarball)?.[1] ?? '';
    writeFileSync(
      join(project, 'main.js'),
      `import { createDataProvider } from '${name}'; console.log(typeof createDataProvider);`,
    );
    require(run('node', ['main.js'], project).trim() === 'function', `${name} cannot be imported.`);
    return `${Math.ceil(statSync(tarball).size / 1024)} kB`;
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

const { values: flags } = parseArgs({
  options: {
    // To try the script itself.
    'skip-ci': { type: 'boolean', default: false },
    'allow-changes': { type: 'boolean', default: false },
  },
});

step('Version', checkVersions);
if (!flags['allow-changes']) step('Commit', checkTree);
if (!flags['skip-ci']) {
  execFileSync(join(root, '.ci/run'), { cwd: root, stdio: 'inherit' });
  if (!flags['allow-changes']) step('Commit', checkTree);
}
step('Licences', checkLicences);
const tarballs = pack();
for (const tarball of tarballs) {
  const isProvider = tarball.includes('-provider-');
  step(tarball.slice(out.length + 1), () =>
    isProvider ? tryProvider(tarball) : tryPlinth(tarball),
  );
}
step('SBOM', () => writeSbom(tarballs.find((tarball) => !tarball.includes('-provider-')) ?? ''));
if (manifestOf('.').repository === undefined)
  process.stdout.write(
    '\npackage.json names no repository, without which npm refuses to publish with provenance. Add it to each package.\n',
  );
process.stdout.write(
  `\nTo publish, in a workflow that npm trusts:\n\n${tarballs.map((tarball) => `  npm publish ${tarball.slice(root.length + 1)}`).join('\n')}\n  git tag v${version} && git push origin v${version}\n`,
);
