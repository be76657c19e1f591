import {
  atOnce,
  library,
  makeFolder,
  servePlinth,
  until,
  type Folder,
  type Serving,
} from './command.ts';

/** What `dev` notes once an edit is served. */
export const reloaded = 'plinth.yaml was read again and is served.';
/** What it notes of one that is not. */
export const kept = 'The last valid version stays in use';

/** How often a text is in another. */
export const countOf = (text: string, part: string): number => text.split(part).length - 1;

/** A folder whose specification `dev` serves. */
export interface Live {
  readonly folder: Folder;
  readonly server: Serving;
  /** Saves the file and waits until so many notes with this text are there. */
  readonly save: (text: string, note: string) => Promise<void>;
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Response>;
  readonly note: () => string;
}

/** Serves a specification, and what is saved of it. */
export async function live(
  text = library,
  files: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<Live> {
  const folder = makeFolder({ 'plinth.yaml': text, ...files });
  const server = await servePlinth(['dev', ...args], { cwd: folder.path });
  const { host } = new URL(server.url);
  return {
    folder,
    server,
    save: async (next, note) => {
      const before = countOf(server.err(), note);
      atOnce(server, () => folder.write('plinth.yaml', next));
      await until(() => countOf(server.err(), note) > before);
    },
    get: (path, headers = {}) => fetch(`http://${host}${path}`, { headers }),
    note: server.err,
  };
}
