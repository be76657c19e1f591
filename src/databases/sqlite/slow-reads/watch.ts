/** A thread that ends its process when the one that has started it is gone, even in the middle of a statement. */
import process from 'node:process';
import { workerData } from 'node:worker_threads';

/** How often it looks, in ms. */
const interval = 200;

// Told, not looked up: it may be gone already.
const parent: unknown = workerData;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, interval);
