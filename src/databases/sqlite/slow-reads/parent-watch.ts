/** A thread that ends its process when the parent is gone, even in the middle of a statement. */
import process from 'node:process';
import { workerData } from 'node:worker_threads';

/** How often it checks, in ms. */
const interval = 200;

// Passed in, because the parent may be gone before this thread could look it up.
const parent: unknown = workerData;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, interval);
