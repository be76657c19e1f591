import { describe, expect, test } from 'vitest';
import { heapFlag } from '../../src/cli/heap-limit.ts';
import { launchPlinth, makeFolder } from '../support/command.ts';

const mebibyte = 1024 * 1024;
const limit = '--max-old-space-size=96';

test.each([
  [256, [], limit],
  [384, ['--no-warnings', ''], '--max-old-space-size=144'],
  [511, [], '--max-old-space-size=191'],
  [512, [], undefined],
  [Infinity, [], undefined],
  [256, ['--max-old-space-size=200'], undefined],
  [256, ['', '--no-warnings --max_old_space_size=200'], undefined],
  [256, ['--max-heap-size=200'], undefined],
])('%s MiB and %o: %s', (memory, given, flag) => {
  expect(heapFlag(memory * mebibyte, given)).toBe(flag);
});

describe.skipIf(process.platform === 'win32')('a small container', () => {
  /** The command in a container of 256 MiB. Says at its end which process it is, and its flags. */
  async function inContainer(flags: readonly string[], environment: Record<string, string> = {}) {
    const folder = makeFolder({
      'container.cjs': `
        process.constrainedMemory = () => ${256 * mebibyte};
        process.on('exit', () => process.stdout.write(JSON.stringify([process.pid, process.execArgv])));`,
    });
    const own = ['--require', folder.at('container.cjs'), ...flags];
    const { child, ended } = launchPlinth(['--version'], {
      cwd: folder.path,
      flags: own,
      env: environment,
    });
    const { code, out, err } = await ended;
    const [version = '', said = '[]'] = out.split('\n');
    return { isSame: JSON.parse(said)[0] === child.pid, version, code, err, said, own };
  }

  test('limits the heap of the same process, with the flags and arguments that it was given', async () => {
    const { own, ...told } = await inContainer(['--no-deprecation']);
    expect(told).toMatchObject({ isSame: true, code: 0, err: '' });
    expect(JSON.parse(told.said)[1]).toEqual([limit, ...own]);
    expect(told.version).toMatch(/^\d+\.\d+\.\d+/u);
  });

  test.each([
    ['as a flag', ['--max-old-space-size=200'], {}],
    ['in NODE_OPTIONS', [], { NODE_OPTIONS: '--max-old-space-size=200' }],
  ])('leaves a limit that the user has chosen: %s', async (_, flags, environment) => {
    const { own, said } = await inContainer(flags, environment);
    expect(JSON.parse(said)[1]).toEqual(own);
  });
});
