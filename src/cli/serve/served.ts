import type { Provenance } from '../dev/provenance.ts';
import type { SpecificationFile } from '../files/specification.ts';
import type { OpenDatabase, Target } from '../database/target.ts';

/** What `dev` serves: a specification over a database. */
export interface Served {
  readonly specification: SpecificationFile;
  readonly target: Target;
  readonly open: OpenDatabase;
  /** By what the generated records of this database were made. */
  readonly provenance: Provenance;
}
