import type { Profiler } from 'node:inspector';
import { freePort } from './child.ts';
import { features, startFeatured, type Feature } from './features.ts';
import { print } from './report.ts';
import type { Databases } from './servers.ts';

/** The shapes R1 to R5. */
const paths = {
  R1: '/v1/posts/7',
  R2: '/v1/posts?limit=20',
  R3: '/v1/posts?status=published&sort=-views&limit=20',
  R4: '/v1/posts?limit=20&expand=author',
  R5: '/v1/posts?limit=20&expand=author,comments,tags',
};
/** Which files are what, with what they ask of Node and the engine; the rest of a request is in others. */
const parts: readonly { readonly name: string; readonly files: RegExp }[] = [
  {
    name: 'debug parameters',
    files:
      /\/(http\/(debug|inspect|honoured)|request\/debug|execute\/watched|trace\/recording)\.ts$/u,
  },
  { name: 'dashboard', files: /\/(http\/(dashboard|redact)[^/]*|trace\/(activity|recent))\.ts$/u },
  {
    name: 'credentials and quotas',
    files: /\/(auth\/[^/]*|http\/(gate|quota|rate-limit)|model\/access)\.ts$/u,
  },
  { name: 'trace and metrics', files: /\/(http\/(observer|metrics)|trace\/events)\.ts$/u },
];
const warmUp = 40_000;
const milliseconds = 4_000;
const interval = 100;

/**
 * Where the time of the main thread goes, by files, as the engine's profiler tells it, which knows functions that were
 * made part of others: what a difference of rates cannot show, since two processes of one program differ more.
 */
export async function measureShares(databases: Databases, folder: string): Promise<void> {
  const { nothing, rule, dashboard, watched } = features;
  for (const feature of [nothing, rule, dashboard, watched])
    for (const [name, path] of Object.entries(paths))
      print(`${name} with ${feature.name}: ${await sharesOf(feature, path, databases, folder)}`);
}

async function sharesOf(
  feature: Feature,
  path: string,
  databases: Databases,
  folder: string,
): Promise<string> {
  const port = await freePort();
  const flags = [`--inspect=127.0.0.1:${port}`];
  const { ask, stop } = await startFeatured(feature, databases, folder, flags);
  try {
    await ask(path, warmUp / (path.includes('?') ? 4 : 1));
    const engine = await Engine.open(port);
    await engine.say('Profiler.enable');
    await engine.say('Profiler.setSamplingInterval', { interval });
    await engine.say('Profiler.start');
    const until = performance.now() + milliseconds;
    while (performance.now() < until) await ask(path, 500);
    const { profile } = (await engine.say('Profiler.stop')) as Profiler.StopReturnType;
    engine.close();
    return toldShares(profile);
  } finally {
    await stop();
  }
}

function toldShares({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): string {
  const frames = new Map<number, Frame>();
  for (const { id, callFrame } of nodes) frames.set(id, { ...callFrame, caller: undefined });
  for (const { id, children = [] } of nodes)
    for (const child of children)
      Object.assign(frames.get(child) ?? {}, { caller: frames.get(id) });
  const spent = new Map<string, number>();
  let busy = 0;
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === '(idle)') continue;
    const time = timeDeltas[index] ?? 0;
    busy += time;
    const file = fileOf(frame);
    const part = parts.find(({ files }) => files.test(file))?.name;
    if (part !== undefined) spent.set(part, (spent.get(part) ?? 0) + time);
  }
  return parts
    .map(({ name }) => `${name} ${(((spent.get(name) ?? 0) / busy) * 100).toFixed(2)} %`)
    .join(', ');
}

type Frame = Pick<Profiler.ProfileNode['callFrame'], 'functionName' | 'url'> & {
  readonly caller: Frame | undefined;
};

/** What the engine and Node do counts for the file that asked for it. */
function fileOf(frame: Frame): string {
  for (let at: Frame | undefined = frame; at !== undefined; at = at.caller)
    if (at.url.startsWith('file:')) return at.url;
  return '';
}

/** The engine of a server that was started with `--inspect`. */
class Engine {
  private readonly socket: WebSocket;
  private readonly asked = new Map<number, (result: unknown) => void>();
  private last = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
      if (id !== undefined) this.asked.get(id)?.(result);
    });
  }

  static async open(port: number): Promise<Engine> {
    const listed = await fetch(`http://127.0.0.1:${port}/json/list`);
    const [target] = (await listed.json()) as { webSocketDebuggerUrl: string }[];
    const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    return new Engine(socket);
  }

  say(method: string, params: object = {}): Promise<unknown> {
    const id = (this.last += 1);
    return new Promise((resolve) => {
      this.asked.set(id, resolve);
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }

  close(): void {
    this.socket.close();
  }
}
