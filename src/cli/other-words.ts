/** Commands of other tools, and the one here. */
const otherCommands: Readonly<Record<string, string>> = {
  ...named('dev', 'serve', 'server', 'run', 'mock', 'watch', 'up', 'develop', 'open'),
  ...named('init', 'new', 'create', 'scaffold'),
  ...named('check', 'validate', 'lint', 'test'),
  ...named('generate', 'seed', 'fake', 'faker', 'fill'),
  ...named('types', 'client', 'codegen', 'typegen', 'sdk'),
  ...named('openapi', 'docs', 'swagger'),
  ...named('introspect', 'pull', 'inspect', 'reverse'),
  ...named('migrate', 'push', 'sync', 'db'),
  ...named('import', 'load', 'restore'),
  ...named('export', 'dump', 'backup'),
  ...named('start', 'production', 'prod', 'deploy'),
};

/** What waits before answers; `value` is that of the option. */
const toDelay = (value = ''): string => {
  const latency = /^\d{1,9}$/u.test(value) ? value : '500';
  return `Write "network: { latency: ${latency} }" in the file, or send X-Simulate: latency=${latency}`;
};
const toPort = (value = ''): string => `Write --port ${/^\d{1,5}$/u.test(value) ? value : '4000'}`;
const toId = (value = ''): string =>
  `The id is the field "id"; "id: { type: id, column: ${/^\w+$/u.test(value) ? value : 'name'} }" says which column it is`;

/** Options of other tools, and what does it here, with the value of the option. */
const otherOptions: Readonly<Record<string, string | ((value?: string) => string)>> = {
  '--watch': '"dev" reads the file again after each save; "types" takes --watch',
  '-w': '"dev" reads the file again after each save; "types" takes --watch',
  '--delay': toDelay,
  '-d': toDelay,
  '--routes':
    'Each resource has the path of its name; "api: { basePath: /api }" goes before all of them',
  '-r': 'Each resource has the path of its name; "api: { basePath: /api }" goes before all of them',
  '--middlewares': 'Code of your own is in a module that the file names: "code: ./api.ts"',
  '-m': 'Code of your own is in a module that the file names: "code: ./api.ts"',
  '--static': 'Files are served by another server; Plinth serves records',
  '-s': 'Files are served by another server; Plinth serves records',
  '--read-only': 'Write "access: { read: public }" in the file',
  '--ro': 'Write "access: { read: public }" in the file',
  '--no-cors': 'Pages of other origins are named in the file: "server: { cors: true }"',
  '--nc': 'Pages of other origins are named in the file: "server: { cors: true }"',
  '--cors': 'Write "server: { cors: true }" in the file',
  '--snapshots': 'Write the records with "export", and bring them back with "import"',
  '--id': toId,
  '--config': 'Name the specification as the argument, or as --spec',
  '-c': 'Name the specification as the argument, or as --spec',
  '--file': 'Name the specification as the argument, or as --spec',
  '--db': 'Write --database sqlite:PATH or --database postgres://…',
  '-p': toPort,
  '--https': 'Write "server: { tls: self-signed }" in the file',
  '--seed-data': 'Records to start with are in the files of "data"; "dev --reset" loads them again',
};

function named(command: string, ...others: readonly string[]): Record<string, string> {
  return Object.fromEntries(others.map((other) => [other, command]));
}

/** The command that does here what one of another tool does; undefined if none is known. */
export function commandFor(other: string): string | undefined {
  return Object.hasOwn(otherCommands, other) ? otherCommands[other] : undefined;
}

/** What does here what an option of another tool does, which has perhaps a value behind it; undefined if nothing is known. */
export function adviceOnOption(option: string, behind?: string): string | undefined {
  const [name = '', value = behind] = option.split('=');
  const advice = Object.hasOwn(otherOptions, name) ? otherOptions[name] : undefined;
  return typeof advice === 'function' ? advice(value) : advice;
}
