/** A process that looks for what is wrong with the data that a file would have generated, and ends. */
import { constants, setPriority } from 'node:os';
import process from 'node:process';
import { buildApi } from '../../model/build/api.ts';
import { loadSpecification } from '../../specification/load.ts';
import type { Asked } from './data-process.ts';
import { checkGeneration } from './data-problems.ts';

setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
process.on('disconnect', () => process.exit());
process.once('message', ({ name, folder, text, environment }: Asked) => {
  const loaded = loadSpecification({ file: name, text, environment });
  // The file is right: it is being served.
  const api = loaded.specification && buildApi(loaded.specification, () => undefined);
  const { positionOf } = loaded;
  const checked = api === undefined ? [] : checkGeneration({ name, positionOf, api, folder });
  void Promise.resolve(checked).then((problems) =>
    process.send?.(problems, () => process.disconnect?.()),
  );
});
