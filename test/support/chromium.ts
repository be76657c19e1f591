import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import type { LaunchOptions } from 'playwright-core';

/** One process for all would end with the first page; without the others, pages could read what CORS keeps from them. */
const unlikeEverybody =
  /^--(?:single-process|disable-web-security|disable-site-isolation-trials)$/u;

/**
 * What a real browser is started with: the one that comes as a package. It draws pages by itself, as there is no graphics
 * card: to emulate one takes several times as long.
 */
export function browserOptions(): Pick<LaunchOptions, 'executablePath' | 'args'> {
  chromium.setGraphicsMode = false;
  return {
    executablePath: join(unpacked(), 'chromium'),
    args: [...chromium.args.filter((arg) => !unlikeEverybody.test(arg)), '--disable-gpu'],
  };
}

/**
 * The folder where the browser is unpacked. The package unpacks it into the folder for temporary files, where whoever
 * asks meanwhile is given half a program: here it has a folder of its own, which gets its name once it is whole.
 */
function unpacked(): string {
  const entry = import.meta.resolve('@sparticuz/chromium');
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', entry), 'utf8')) as {
    readonly version: string;
  };
  const folder = join(tmpdir(), `plinth-chromium-${version}`);
  if (existsSync(folder)) return folder;
  const own = mkdtempSync(`${folder}-`);
  const program = `await (await import(${JSON.stringify(entry)})).default.executablePath()`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, TMPDIR: own },
  });
  try {
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true });
    // Another file of the run was faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
