import type { Comparison } from '../model/operators.ts';
import type { Place, Predicate, Slot } from './filter/predicate.ts';
import type { BelongsToMany, Field, Relation, Resource } from '../model/api.ts';
import type { ValueIssue } from '../model/values.ts';
import type { JsonValue } from '../specification/specification.ts';

/** One member of a record: a field under the name that this version gives it. */
export interface Member {
  readonly name: string;
  readonly field: Field;
  /** Only these paths of an object field; absent: all of it. */
  readonly only?: readonly (readonly string[])[];
  /** All but these paths of an object field. */
  readonly without?: readonly (readonly string[])[];
}

/** What of a resource is read and shown. */
export interface Selection {
  readonly members: readonly Member[];
  readonly expand: readonly ExpandPlan[];
}

/** One key of an order. */
export interface SortKey {
  /** As the client names it. */
  readonly name: string;
  /** The relations that lead to it: of a to-many one its smallest value counts, descending its largest. */
  readonly steps: readonly SortStep[];
  readonly place: Place;
  readonly descending: boolean;
  /** Absent where there is always a value. */
  readonly nulls: 'first' | 'last' | undefined;
}

/** A relation on the way to what is sorted by. */
export interface SortStep {
  readonly relation: Relation;
  readonly target: Resource;
  /** What access rules say of the records that it leads to: others are not there. */
  readonly where?: readonly Predicate[];
}

/** One expanded relation: read by one statement for all records above it. */
export interface ExpandPlan {
  readonly name: string;
  readonly relation: Relation;
  /** One, but for a morphTo, which has one for each resource that it can lead to. */
  readonly targets: readonly ExpandTarget[];
  /** Of a to-many relation: what its items must satisfy. */
  readonly where: readonly Predicate[];
  /** Of a to-many relation. */
  readonly order: readonly SortKey[];
  /** Where the request says which page of a to-many relation it wants. */
  readonly paging: CollectionPaging | undefined;
  /** Members of the `pivot` object; absent: no pivot. */
  readonly pivot: readonly Member[] | undefined;
}

/** The paging of an expanded collection, for each record above it; the numbers are bound. */
export interface CollectionPaging {
  /** Its place among the paged collections of the plan. */
  readonly index: number;
  /** The path of the collection, as its parameters begin. */
  readonly path: string;
  readonly page: number | undefined;
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  /** The collections with a written limit that it lies in, by their index. */
  readonly within: readonly number[];
}

/** What is read of the records that an expanded relation leads to, in one resource. */
export interface ExpandTarget {
  readonly resource: Resource;
  /** Of a morphTo: the value of the type field that leads here. */
  readonly typeValue: string | undefined;
  readonly selection: Selection;
  /** What access rules say of its records, and of the links to them. */
  readonly where: readonly Predicate[];
}

/** A bound value that no request brings: of an access rule. It stands behind those of the request. */
export interface RuleSlot {
  readonly index: number;
  readonly field: Field;
  readonly operator: Comparison;
  /** It holds a list, any of whose items will do, although the operator compares with one value. */
  readonly any: boolean;
  readonly operand: RuleOperand;
}

/** What a rule compares with: what it says itself, or what claims of the caller say. */
export type RuleOperand =
  | { readonly kind: 'constant'; readonly value: JsonValue }
  | { readonly kind: 'claims'; readonly items: readonly RuleItem[] };

/** A claim of the caller, or a value that the rule says itself. */
export type RuleItem = { readonly claim: string } | { readonly value: JsonValue };

/** How a list is cut into pages; the numbers are bound. */
export type Paging =
  | { readonly mode: 'page'; readonly page: number | undefined; readonly limit: number | undefined }
  | { readonly mode: 'offset'; readonly offset: number; readonly limit: number | undefined }
  | {
      readonly mode: 'cursor';
      readonly limit: number | undefined;
      /** Under which keys the last record had a value; absent on the first page. */
      readonly after: readonly boolean[] | undefined;
      /** The cursor names the records where the page before ended, in place of texts that are too long. */
      readonly isLong: boolean;
    };

/** What a read needs from the database, with every name resolved and no value in it. */
export type ReadPlan = {
  readonly resource: Resource;
  readonly selection: Selection;
  readonly slots: readonly Slot[];
  readonly ruleSlots: readonly RuleSlot[];
  /** Which records there are for this caller, by access rules. */
  readonly access: readonly Predicate[];
  readonly collections: readonly CollectionPaging[];
} & (
  | { readonly kind: 'one' }
  | {
      readonly kind: 'list';
      readonly where: readonly Predicate[];
      readonly order: readonly SortKey[];
      /**
       * What a cursor carries of the order: the keys of `order` without the last `id`, those by which `sort` orders
       * collections, and where nulls were asked to stand.
       */
      readonly sort: string;
      readonly collectionSort: string;
      readonly nulls: string;
      readonly paging: Paging;
      readonly count: 'exact' | 'estimated' | 'none';
    }
);

/** The values of a record by field, in the order of the model. */
export type FieldValues = ReadonlyMap<Field, JsonValue>;

/** What a body does: POST, PUT or PATCH. */
export type WriteKind = 'create' | 'replace' | 'update';

/** What a write does to the links of one belongsToMany. */
export interface LinkChange {
  readonly relation: BelongsToMany;
  /** Where it stands in the body, for problems: `tags`. */
  readonly path: string;
  /** The list is the whole set; else it is added to the links that are there. */
  readonly isWhole: boolean;
  readonly links: readonly Link[];
  /** Ids of records that are no longer linked. */
  readonly removed: readonly JsonValue[];
}

/** A link that a body names. */
export interface Link {
  /** The id of the record that is linked. */
  readonly id: JsonValue;
  /** Where the link stands in the body, for problems: `tags[2]`. */
  readonly path: string;
  /** The pivot fields that were sent. */
  readonly pivot: FieldValues;
  /** What becomes of the junction's row where the link is there already; nothing where no pivot was sent. */
  readonly change: FieldValues;
  /** The junction's row where the link is new, without its two keys. */
  readonly row: FieldValues;
  /** What keeps it from being new. */
  readonly missing: readonly ValueIssue[];
}

/** A record to create, with the links that it begins with. */
export interface NewRecord {
  readonly values: FieldValues;
  readonly links: readonly LinkChange[];
}

/** What a record must be before it is written, as headers say it. */
export interface Demands {
  /** The entity tags of which it must have one. */
  readonly ifMatch: string | undefined;
  /** Those of which it must have none. */
  readonly ifNoneMatch: string | undefined;
}

/** What a write does, with everything drawn beforehand (ids, times), so that it can be run again. */
export type WritePlan =
  | {
      readonly kind: 'create';
      readonly resource: Resource;
      readonly records: readonly NewRecord[];
      /** The body was an array: problems are named `[3].title`, and the answer is an array. */
      readonly isArray: boolean;
    }
  | {
      readonly kind: 'update';
      readonly resource: Resource;
      readonly id: JsonValue;
      readonly values: FieldValues;
      /** Immutable fields among them, which must have the value that they have. */
      readonly unchanged: FieldValues;
      /** Object fields into whose value a part is merged (RFC 7396), each with that part as it was sent. */
      readonly merged: ReadonlyMap<Field, unknown>;
      readonly links: readonly LinkChange[];
      readonly demands: Demands;
    }
  | {
      readonly kind: 'delete';
      readonly resource: Resource;
      readonly id: JsonValue;
      readonly demands: Demands;
    };
