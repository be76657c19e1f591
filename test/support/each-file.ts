import { afterAll } from 'vitest';
import { endLeftovers } from './leftovers.ts';

// Vitest runs this before each file of tests, in its worker.
afterAll(endLeftovers);
