import type { Provenance } from '../../generate/fill/provenance.ts';
import type { OpenDatabase, Target } from '../database/target.ts';
import type { SpecificationFile } from '../files/specification.ts';

/** A specification that `dev` serves, with its database. */
export interface Served {
  readonly specification: SpecificationFile;
  readonly target: Target;
  readonly open: OpenDatabase;
  /** The recipes by which the records of this database were generated. */
  readonly provenance: Provenance;
}
