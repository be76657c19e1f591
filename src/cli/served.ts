import type { Provenance } from './provenance.ts';
import type { SpecificationFile } from './specification.ts';
import type { OpenDatabase, Target } from './target.ts';

/** What `dev` serves: a specification over a database. */
export interface Served {
  readonly specification: SpecificationFile;
  readonly target: Target;
  readonly open: OpenDatabase;
  /** By what the generated records of this database were made. */
  readonly provenance: Provenance;
}
