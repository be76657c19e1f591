import type { Model, ValueInfo } from '../../../../../src/http/dashboard/wire-model.ts';
import type { Draft } from '../draft.ts';

/** What the inputs of a value are given, whatever its type. */
export interface ValueProps {
  readonly info: ValueInfo;
  readonly label: string;
  /** As the server names it in its messages. */
  readonly path: string;
  readonly draft: Draft;
  /** Whether the record is made with it. */
  readonly isNew: boolean;
  readonly model: Model;
  readonly changed: (draft: Draft) => void;
}
