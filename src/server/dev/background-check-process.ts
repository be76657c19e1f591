/** The process of `checkInBackground`. It gets a file as a message, sends its problems, and ends. */
import { constants, setPriority } from 'node:os';
import process from 'node:process';
import { buildApi } from '../../model/build/api.ts';
import { loadSpecification } from '../../model/load-specification.ts';
import type { CheckedFile } from './background-check.ts';
import { checkGeneration } from './data-problems.ts';

async function check({ name, folder, text, environment }: CheckedFile): Promise<void> {
  const { specification, positionOf } = loadSpecification({ file: name, text, environment });
  // The file has no errors, since it is served.
  const api = specification && buildApi(specification, () => undefined);
  const problems =
    api === undefined ? [] : await checkGeneration({ name, positionOf, api, folder });
  process.send?.(problems, () => process.disconnect?.());
}

setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
process.on('disconnect', () => process.exit());
process.once('message', (file: CheckedFile) => void check(file));
