import chromium from '@sparticuz/chromium';
import type { LaunchOptions } from 'playwright-core';

/**
 * What a real browser is started with: the one that comes as a package. It draws pages by itself, as there is no graphics
 * card: to emulate one takes several times as long.
 */
export async function browserOptions(): Promise<Pick<LaunchOptions, 'executablePath' | 'args'>> {
  chromium.setGraphicsMode = false;
  return {
    executablePath: await chromium.executablePath(),
    // One process for all would end with the first page.
    args: [...chromium.args.filter((arg) => arg !== '--single-process'), '--disable-gpu'],
  };
}
