/** A thread that ends its process when the one that has started it is gone, even in the middle of a statement. */
import process from 'node:process';

/** How often it looks, in ms. */
const interval = 200;

const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, interval);
