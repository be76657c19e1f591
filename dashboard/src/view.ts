import type { Model } from '../../src/http/dashboard/wire-model.ts';
import type { Hello } from '../../src/http/dashboard/wire.ts';

/** What every view is given. */
export interface ViewProps {
  readonly session: Hello;
  readonly model: Model;
}
