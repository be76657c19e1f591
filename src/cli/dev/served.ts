import type { OpenDatabase, Target } from '../database/target.ts';
import type { SpecificationFile } from '../files/specification.ts';
import type { Provenance } from './provenance.ts';

/** A specification that `dev` serves, with its database. */
export interface Served {
  readonly specification: SpecificationFile;
  readonly target: Target;
  readonly open: OpenDatabase;
  /** How the generated records of this database were made. */
  readonly provenance: Provenance;
}
