import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments, parse } from 'yaml';
import { build } from '../support/api.ts';
import { good, launch, makeFolder, root, servePlinth } from '../support/command.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { version } = JSON.parse(read('package.json')) as { readonly version: string };

/** The problems of a specification in a file for containers, in which it may name variables. */
const problemsOf = (text: string): readonly string[] =>
  build(text.replaceAll('${REDIS_URL}', 'rediss://:secret@redis.example.com:6379')).problems.map(
    ({ message }) => message,
  );

describe('the Dockerfile', () => {
  const lines = read('Dockerfile')
    .replaceAll(/\\\n\s*/gu, '')
    .split('\n')
    .filter((line) => /^[A-Z]+ /u.test(line));
  const of = (instruction: string, from = lines): readonly string[] =>
    from
      .filter((line) => line.startsWith(`${instruction} `))
      .map((line) => line.slice(instruction.length + 1));
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

  test('builds in stages, and ends with a small image that is not root', () => {
    expect(of('FROM').length).toBeGreaterThan(1);
    expect(of('FROM', last)).toEqual(['node:${NODE_VERSION}-bookworm-slim']);
    expect(of('USER', last)).toEqual(['1000:1000']);
    expect(of('VOLUME', last)).toEqual(['/data']);
    expect(of('HEALTHCHECK', last)).toHaveLength(1);
    expect(of('RUN', last.slice(last.indexOf('USER 1000:1000')))).toEqual([]);
  });

  test('installs without scripts of packages, which may need what a small image lacks', () => {
    for (const install of of('RUN').filter((line) => line.includes('npm ci')))
      expect(install).toContain('--ignore-scripts');
  });

  test('runs on any platform: only the last stage is of the one that the image is for', () => {
    const stages = of('FROM').map((from) => from.startsWith('--platform=$BUILDPLATFORM '));
    expect(stages).toEqual([...stages.slice(1).map(() => true), false]);
  });

  test('copies files that are there, and none that .dockerignore keeps out', () => {
    const ignored = read('.dockerignore').split('\n');
    const copied = of('COPY')
      .filter((line) => !line.startsWith('--from='))
      .flatMap((line) => line.split(' ').slice(0, -1));
    expect(copied).toContain('package-lock.json');
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(copied.filter((path) => ignored.includes(path))).toEqual([]);
  });

  test.each([
    ['plain HTTP', ''],
    ['TLS', 'server: { tls: self-signed }\n'],
  ])('its health check tells whether the server answers over %s', async (_, server) => {
    const [, command = ''] = / CMD (\[.*\])$/u.exec(of('HEALTHCHECK', last)[0] ?? '') ?? [];
    const [program, ...args] = JSON.parse(command) as readonly string[];
    expect(program).toBe('node');
    const file = `access: public\n${server}resources: { notes: { fields: { title: { type: string } } } }\n`;
    const { path: cwd } = makeFolder({ 'plinth.yaml': file });
    const database = ['--database', 'sqlite:notes.db'];
    await good(['migrate', '--apply', ...database], cwd);
    const serving = await servePlinth(['start', ...database], { cwd });
    const env = { PLINTH_PORT: new URL(serving.url).port };
    const asked = async (): Promise<readonly unknown[]> => {
      const { code, err } = await launch(process.execPath, args, { cwd, env }).ended;
      return [code, err];
    };
    expect(await asked()).toEqual([0, '']);
    expect(await serving.stop('SIGTERM')).toMatchObject({ code: 0 });
    expect(await asked()).toEqual([1, '']);
  });
});

describe('compose.yaml', () => {
  interface Service {
    readonly image: string;
    readonly environment: Readonly<Record<string, string>>;
    readonly healthcheck?: { readonly test: readonly string[] };
    readonly configs?: readonly { readonly source: string; readonly target: string }[];
    readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
    readonly read_only?: boolean;
  }
  const { services, configs, networks } = parse(read('compose.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly configs: Readonly<Record<string, { readonly content: string }>>;
    readonly networks: {
      readonly default: { readonly ipam: { readonly config: readonly [{ gateway: string }] } };
    };
  };

  test('serves a file without a problem, to its own network', () => {
    const content = configs['specification']?.content ?? '';
    expect(problemsOf(content)).toEqual([]);
    const { server } = parse(content) as { server: { plainHttp: readonly string[] } };
    expect(server.plainHttp).toEqual([networks.default.ipam.config[0].gateway]);
  });

  test('names settings that the command reads, with a password of any characters', () => {
    const { PLINTH_DATABASE_URL: url = '', ...others } = services['plinth']?.environment ?? {};
    expect(new URL(url)).toMatchObject({ username: 'plinth', password: '', pathname: '/plinth' });
    expect(others).toEqual({ PGPASSWORD: services['postgres']?.environment['POSTGRES_PASSWORD'] });
    expect(services['migrate']?.environment).toEqual(services['plinth']?.environment);
  });

  test('its file is one that `start` serves, and a caller can write', async () => {
    const { path: cwd } = makeFolder({ 'plinth.yaml': configs['specification']?.content ?? '' });
    const database = ['--database', 'sqlite:notes.db'];
    await good(['migrate', '--apply', ...database], cwd);
    const { url } = await servePlinth(['start', ...database], { cwd });
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ title: 'Hello' });
    const { status } = await fetch(`${url}/v1/notes`, { method: 'POST', headers, body });
    expect(status).toBe(201);
  });

  test('has PostgreSQL and Redis, whose health it waits for, and migrates before it serves', () => {
    expect(Object.keys(services)).toEqual(['plinth', 'migrate', 'postgres', 'redis']);
    for (const { depends_on: needed = {} } of Object.values(services))
      for (const [name, { condition }] of Object.entries(needed))
        if (condition === 'service_healthy') expect(services[name]?.healthcheck).toBeDefined();
        else expect([name, condition]).toEqual(['migrate', 'service_completed_successfully']);
    // While the image sets the database up, another server answers on the socket.
    expect(services['postgres']?.healthcheck?.test).toContain('--host');
    expect(services['plinth']?.image).toBe(`plinth:${version}`);
    expect(services['migrate']?.image).toBe(`plinth:${version}`);
    for (const name of ['plinth', 'migrate']) {
      expect(services[name]?.configs).toEqual([
        { source: 'specification', target: '/app/plinth.yaml' },
      ]);
      expect(services[name]?.read_only).toBe(true);
    }
  });
});

describe('examples/kubernetes', () => {
  interface Manifest {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string };
  }
  const folder = 'examples/kubernetes';
  const files = readdirSync(join(root, folder)).filter((name) => name !== 'kustomization.yaml');
  const manifests = files.map((name) => ({
    name,
    documents: parseAllDocuments(read(`${folder}/${name}`)).map(
      (document) => document.toJS() as Manifest,
    ),
  }));
  const all = manifests.flatMap(({ documents }) => documents);
  const moduleOf = ({ apiVersion, kind }: Manifest): string =>
    `kubernetes-models/${apiVersion}/${kind}`;

  test.each(manifests)('$name fits the schema of Kubernetes', async ({ documents }) => {
    for (const manifest of documents) {
      const models = (await import(moduleOf(manifest))) as Readonly<
        Record<string, new (data: object) => { readonly validate: () => void }>
      >;
      const Kind = models[manifest.kind];
      expect(Kind, manifest.kind).toBeDefined();
      if (Kind !== undefined) new Kind(manifest).validate();
    }
  });

  test('no manifest has a key that Kubernetes does not know', async () => {
    const here = makeFolder();
    // The schemas ignore unknown keys; the types of the same package do not.
    const source = all.map((manifest, index) => {
      const type = `import('${moduleOf(manifest)}').I${manifest.kind}`;
      return `export const m${index}: ${type} = ${JSON.stringify(manifest, undefined, 1)};`;
    });
    const typo = `// @ts-expect-error -- a key that is not there\nexport const wrong: import('kubernetes-models/v1/Service').IService = { apiVersion: 'v1', kind: 'Service', spek: {} };`;
    symlinkSync(join(root, 'node_modules'), here.at('node_modules'));
    here.write('manifests.ts', [...source, typo].join('\n'));
    const { out } = await launch(
      process.execPath,
      [
        join(root, 'node_modules/typescript/bin/tsc'),
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        '--types',
        '',
        '--module',
        'nodenext',
        '--target',
        'es2024',
        'manifests.ts',
      ],
      { cwd: here.path },
    ).ended;
    expect(out).toBe('');
  });

  test('kustomization.yaml names every file', () => {
    const { resources, images } = parse(read(`${folder}/kustomization.yaml`)) as {
      readonly resources: readonly string[];
      readonly images: readonly [{ readonly name: string; readonly newTag: string }];
    };
    expect(resources.toSorted()).toEqual(files.toSorted());
    expect([images[0].name, images[0].newTag]).toEqual(['plinth', version]);
  });

  test('its file has no problem, and its variables are in the secret', () => {
    const text = read(`${folder}/config.yaml`);
    const { data } = parse(text) as { data: { 'plinth.yaml': string } };
    expect(problemsOf(data['plinth.yaml'])).toEqual([]);
    const { stringData } = parse(read(`${folder}/secret.yaml`)) as {
      stringData: Readonly<Record<string, string>>;
    };
    for (const [, name = ''] of text.matchAll(/\$\{(\w+)\}/gu))
      expect(Object.keys(stringData)).toContain(name);
  });

  test('names of others lead to what is there', () => {
    const text = files.map((name) => read(`${folder}/${name}`)).join('\n');
    const names = new Set(all.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
    for (const [, name] of text.matchAll(/configMap: \{ name: (\w+) \}/gu))
      expect(names).toContain(`ConfigMap/${name}`);
    for (const [, name] of text.matchAll(/secretRef: \{ name: (\w+) \}/gu))
      expect(names).toContain(`Secret/${name}`);
    for (const [, name] of text.matchAll(/service: \{ name: (\w+)/gu))
      expect(names).toContain(`Service/${name}`);
  });
});
