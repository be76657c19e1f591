import type { Comparison } from '../model/operators.ts';
import type { ComputedValue, FieldRef, Predicate, Slot } from './filter/predicate.ts';
import type {
  BelongsTo,
  BelongsToMany,
  Field,
  Has,
  MorphMany,
  Relation,
  Resource,
} from '../model/api.ts';
import type { DatePart } from '../model/field-types/group-values.ts';
import type { ValueIssue } from '../model/values.ts';
import type { JsonValue } from '../specification/specification.ts';

/** One member of a record: a field and its name in this version. */
export interface Member {
  readonly name: string;
  readonly field: Field;
  /** How it is computed for this caller, if the field has no column. */
  readonly value?: ComputedValue;
  /** Only these paths of an object field; absent for all of it. */
  readonly only?: readonly (readonly string[])[];
  /** All but these paths of an object field. */
  readonly without?: readonly (readonly string[])[];
}

/** The members and expansions of a resource that are read and returned. */
export interface Selection {
  readonly members: readonly Member[];
  readonly expand: readonly ExpandPlan[];
  /** What own code computes members of; set when access rules are added. */
  readonly own?: readonly OwnMembers[];
}

/** Members that own code computes, and what is read along for them in the names of the file, without being returned. */
export interface OwnMembers {
  readonly members: readonly Member[];
  readonly needed: Selection;
}

/** One key of an order. */
export interface SortKey {
  /** The name in the request. */
  readonly name: string;
  /** The relations to follow. Through a to-many relation the smallest value counts, or the largest if descending. */
  readonly steps: readonly SortStep[];
  readonly ref: FieldRef;
  readonly descending: boolean;
  /** Undefined if there is always a value. */
  readonly nulls: 'first' | 'last' | undefined;
}

/** A relation on the path to a sort key. */
export interface SortStep {
  readonly relation: Relation;
  readonly target: Resource;
  /** Access rules for the related records; records that do not satisfy them do not count. */
  readonly where?: readonly Predicate[];
}

/** One expanded relation, read by one statement for all parent records. */
export interface ExpandPlan {
  readonly name: string;
  readonly relation: Relation;
  /** One target; for a morphTo, one for each possible resource. */
  readonly targets: readonly ExpandTarget[];
  /** For a to-many relation: the conditions on its items. */
  readonly where: readonly Predicate[];
  /** For a to-many relation: the order of its items. */
  readonly order: readonly SortKey[];
  /** Set if the request asks for a page of a to-many relation. */
  readonly paging: CollectionPaging | undefined;
  /** Members of the `pivot` object; undefined for no pivot. */
  readonly pivot: readonly Member[] | undefined;
}

/** The paging of an expanded collection within each parent record. The numbers are indexes of bound texts. */
export interface CollectionPaging {
  /** Its index among the paged collections of the plan. */
  readonly index: number;
  /** The path of the collection, the prefix of its parameters. */
  readonly path: string;
  readonly page: number | undefined;
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  /** The indexes of the enclosing paged collections. */
  readonly within: readonly number[];
}

/** What is read of the records of one resource that an expanded relation leads to. */
export interface ExpandTarget {
  readonly resource: Resource;
  /** For a morphTo: the value of the type field for this target. */
  readonly typeValue: string | undefined;
  readonly selection: Selection;
  /** Access rules for its records, and for the links to them. */
  readonly where: readonly Predicate[];
}

/** A bound value of an access rule. The rule slots follow the slots of the request. */
export interface RuleSlot {
  readonly index: number;
  readonly field: Field;
  readonly operator: Comparison;
  /** The slot holds a list although the operator compares with one value: any item may match. */
  readonly any: boolean;
  readonly operand: RuleOperand;
}

/** The operand of a rule: a constant, or items of which at least one is known only when a request arrives. */
export type RuleOperand =
  | { readonly kind: 'constant'; readonly value: JsonValue }
  | { readonly kind: 'request'; readonly items: readonly RuleItem[] };

/** A claim of the caller, a time that far (in ms) from that of the request, or a constant. */
export type RuleItem =
  | { readonly claim: string }
  | { readonly isNow: true; readonly shift: number }
  | { readonly value: JsonValue };

/** How a list is paged. The numbers are indexes of bound texts. */
export type Paging =
  | { readonly mode: 'page'; readonly page: number | undefined; readonly limit: number | undefined }
  | { readonly mode: 'offset'; readonly offset: number; readonly limit: number | undefined }
  | {
      readonly mode: 'cursor';
      readonly limit: number | undefined;
      /** For each sort key, whether the last record had a value; undefined on the first page. */
      readonly after: readonly boolean[] | undefined;
      /** The cursor names the last records of the previous page, since their texts are too long to carry. */
      readonly isLong: boolean;
    };

/** What a read needs from the database: every name is resolved, and values are slots. */
export type ReadPlan = {
  readonly resource: Resource;
  readonly selection: Selection;
  readonly slots: readonly Slot[];
  readonly ruleSlots: readonly RuleSlot[];
  /** The access rules that restrict the records for this caller. */
  readonly access: readonly Predicate[];
  readonly collections: readonly CollectionPaging[];
} & (
  | { readonly kind: 'one' }
  | {
      readonly kind: 'list';
      readonly where: readonly Predicate[];
      readonly order: readonly SortKey[];
      /**
       * The part of the order that a cursor carries: the keys of `order` without the last `id`, the keys by which `sort`
       * orders collections, and `nulls`.
       */
      readonly sort: string;
      readonly collectionSort: string;
      readonly nulls: string;
      readonly paging: Paging;
      readonly count: 'exact' | 'estimated' | 'none';
    }
);

/** The functions of `aggregate`, in the order in which they are suggested. */
export const groupFunctions = ['count', 'sum', 'avg', 'min', 'max', 'countDistinct'] as const;

export type GroupFunction = (typeof groupFunctions)[number];

/** A column of groups: what groups the records, or a function over the records of a group. */
export interface GroupColumn {
  /** As `having` and `sort` name it: `customer.country`, `placedAt:month`, `sum.total`. */
  readonly name: string;
  readonly function: GroupFunction | undefined;
  /** For a function other than `count`: its path, a member of `"sum"` in the answer. */
  readonly path: string;
  /** The value of a record; undefined for `count`. */
  readonly source: Pick<SortKey, 'steps' | 'ref'> | undefined;
  /** For a key: the part of the date that groups. */
  readonly part: DatePart | undefined;
  /** The type of the values. Its column is that of the groups. */
  readonly field: Field;
}

/** What a list in groups needs from the database. Conditions and orders of groups refer to the fields of `columns`. */
export interface GroupsPlan {
  readonly kind: 'groups';
  readonly resource: Resource;
  readonly slots: readonly Slot[];
  readonly ruleSlots: readonly RuleSlot[];
  readonly access: readonly Predicate[];
  /** Restricts the records. */
  readonly where: readonly Predicate[];
  readonly columns: readonly GroupColumn[];
  readonly keys: readonly GroupColumn[];
  /** The functions in the answer; others serve `having` and `sort` alone. */
  readonly functions: readonly GroupColumn[];
  /** Restricts the groups. */
  readonly having: readonly Predicate[];
  readonly order: readonly SortKey[];
  readonly paging: Paging;
}

/** The values of a record by field, in the order of the model. */
export type FieldValues = ReadonlyMap<Field, JsonValue>;

/** The kind of write: POST, PUT or PATCH. */
export type WriteKind = 'create' | 'replace' | 'update';

/** The changes of a write to the links of one belongsToMany. */
export interface LinkChange {
  readonly relation: BelongsToMany;
  /** The path in the body, for problems: `tags`. */
  readonly path: string;
  /** The links replace all existing links; otherwise they are added. */
  readonly isWhole: boolean;
  readonly links: readonly Link[];
  /** Ids of records to unlink. */
  readonly removed: readonly JsonValue[];
}

/** A link that a body names. */
export interface Link {
  /** The id of the linked record. */
  readonly id: JsonValue;
  /** The path in the body, for problems: `tags[2]`. */
  readonly path: string;
  /** The pivot fields that were sent. */
  readonly pivot: FieldValues;
  /** The changes to the junction's row if the link exists; empty if no pivot was sent. */
  readonly update: FieldValues;
  /** The junction's row if the link is new, without its two keys. */
  readonly newRow: FieldValues;
  /** Problems that apply only if the link is new. */
  readonly missing: readonly ValueIssue[];
}

/** How a new value is made from the current one: a part to merge into it (RFC 7396), or a number to add. */
export type Revision =
  | { readonly kind: 'merge'; readonly part: unknown }
  | { readonly kind: 'increment'; readonly by: JsonValue };

/** A record to create, with its links and the records that are written with it. */
export interface NewRecord {
  readonly values: FieldValues;
  readonly nested: NestedWrites;
  readonly links: readonly LinkChange[];
  /** What the paths of its problems begin with: `[3].`, `comments.create[0].`. */
  readonly path: string;
}

/** What is known of a write that validation has refused: its problems, and the values that it has taken. */
export type UnplannedWrite = {
  readonly resource: Resource;
  readonly issues: readonly ValueIssue[];
} & (
  | {
      readonly kind: 'create';
      readonly records: readonly NewRecord[];
      readonly upsert: Upsert | undefined;
    }
  | {
      readonly kind: 'update';
      /** Undefined for a change of many. */
      readonly id: JsonValue | undefined;
      readonly change: PlannedChange;
    }
);

/** The writes of related records in the body of a record. */
export interface NestedWrites {
  /** Records to create before, since the record points to them. */
  readonly parents: readonly NewParent[];
  /** Writes of records that point to the record, or are linked with it. */
  readonly children: readonly ChildWrites[];
}

/** A record to create that another one points to. */
export interface NewParent {
  readonly relation: BelongsTo;
  readonly record: NewRecord;
}

/** The writes of the records that one relation leads to. */
export interface ChildWrites {
  readonly relation: Has | MorphMany | BelongsToMany;
  /** The path in the body: `comments`. */
  readonly path: string;
  readonly creates: readonly NewRecord[];
  /** For a belongsToMany: the links to the created records, without their ids. */
  readonly links: readonly Omit<Link, 'id'>[];
  readonly updates: readonly ChildUpdate[];
  readonly deletes: readonly NamedRecord[];
  /** Records to take over, and to let go. Those of a belongsToMany are in `NewRecord.links`. */
  readonly added: readonly MovedRecord[];
  readonly removed: readonly MovedRecord[];
}

/** A record to take over, or to let go, by its key. */
export interface MovedRecord {
  readonly id: JsonValue;
  readonly path: string;
  /** What changes besides the key. */
  readonly change: PlannedChange;
}

/** A record that a body names; undefined for the one record of a hasOne. */
export interface NamedRecord {
  readonly id: JsonValue | undefined;
  readonly path: string;
}

export interface ChildUpdate extends NamedRecord {
  readonly change: PlannedChange;
}

/** The preconditions of a write, from headers (RFC 9110, 13.1). */
export interface Preconditions {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

export const noPreconditions: Preconditions = { ifMatch: undefined, ifNoneMatch: undefined };

/** What a create does with records that exist already. */
export interface Upsert {
  /** The fields whose values say that a record is the same. */
  readonly key: readonly Field[];
  /** The values of each record as they were sent, by which it is looked for, if hooks have set others. */
  readonly sent?: readonly FieldValues[] | undefined;
  /** For each record, how one that exists is changed; undefined leaves it as it is. */
  readonly changes: readonly (PlannedChange | undefined)[];
  /** A record that exists fails the precondition of the request. */
  readonly mustBeNew: boolean;
}

export type UpdatePlan = Extract<WritePlan, { kind: 'update' }>;
export type DeletePlan = Extract<WritePlan, { kind: 'delete' }>;

/** How a plan changes a record, whichever it is. */
export type PlannedChange = Omit<UpdatePlan, 'id' | 'preconditions'>;

/** What is done to every record that the filters of a request match. */
export type ChangeOfMany = PlannedChange | Omit<DeletePlan, 'id' | 'preconditions'>;

/** A planned write. Ids and times are generated beforehand, so that it can be retried. */
export type WritePlan =
  | {
      readonly kind: 'create';
      readonly resource: Resource;
      readonly records: readonly NewRecord[];
      /** What is done with records that exist already; undefined: they are problems. */
      readonly upsert: Upsert | undefined;
      /** The body was an array: paths of problems are `[3].title`, and the response is an array. */
      readonly isArray: boolean;
    }
  | {
      readonly kind: 'update';
      readonly resource: Resource;
      readonly id: JsonValue;
      /** What the paths of its problems begin with. */
      readonly path: string;
      readonly values: FieldValues;
      /** Immutable fields in the body; their values must equal the stored ones. */
      readonly unchanged: FieldValues;
      /** Fields whose new values are made from the current ones. */
      readonly revised: ReadonlyMap<Field, Revision>;
      readonly links: readonly LinkChange[];
      readonly nested: NestedWrites;
      readonly preconditions: Preconditions;
    }
  | {
      readonly kind: 'delete';
      readonly resource: Resource;
      readonly id: JsonValue;
      readonly preconditions: Preconditions;
    };
