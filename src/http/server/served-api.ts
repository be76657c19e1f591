import { getOrInsert } from '../../lib/get-or-insert.ts';
import { BoundedCache } from '../../lib/bounded-cache.ts';
import { ok, type Result } from '../../errors.ts';
import { DatabaseFailure, type Database } from '../../databases/database.ts';
import { Pace } from '../../databases/pace.ts';
import { AuditLog } from '../../records/write/audit/log.ts';
import { IdempotencyKeys } from '../../records/write/idempotency.ts';
import { ReadinessProbe } from '../../databases/readiness.ts';
import type { Claims, Subject } from '../../model/access.ts';
import type { Api, Version } from '../../model/api.ts';
import { sessionsOf, type SessionSettings } from '../../model/session.ts';
import { viewKey, viewOf, type ResourceView, type View } from '../../model/view.ts';
import { claimsKey } from '../../query/access/claims.ts';
import type { GroupsPlan, ReadPlan } from '../../query/plan.ts';
import { compileExport, type CompiledExport } from '../../sql/compile/export.ts';
import { compileGroups, type CompiledGroups } from '../../sql/compile/groups.ts';
import { compileRead, type CompiledRead } from '../../sql/compile/read.ts';
import { writeStatements, type WriteStatements } from '../../sql/compile/write.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { isUnmanaged } from '../../sql/schema/schema.ts';
import { databaseDefaults } from '../../specification/keys/server.ts';
import type { Sandboxes } from '../sandboxes/sandboxes.ts';
import type { LoadedCode } from '../../extensions/load.ts';
import type { Endpoint } from '../../extensions/endpoints/endpoint.ts';
import type { RouteTable } from '../../extensions/endpoints/route-table.ts';
import { InFlight } from './in-flight.ts';

/**
 * How many compiled plans are cached, how long their keys may be together, and the longest key of a cached one: a compiled
 * plan takes some hundred times the length of its key.
 */
const keptPlans = 2_000;
const keptKeyLength = 512 * 1_024;
const longestKey = 4_096;
/** How many views are cached: one for each version and set of roles that a rule names. */
const keptViews = 500;

function noSessions(): DatabaseFailure {
  return new DatabaseFailure(
    'database.session needs PostgreSQL. Name such a database, or take it out of the file.',
  );
}

/** A cache of compiled plans. */
interface Kept<Key, Compiled> {
  readonly get: (key: Key) => Compiled | undefined;
  readonly set: (key: Key, compiled: Compiled) => unknown;
}

/**
 * An Api with what serves it: database, views, compiled plans. A request uses one from start to end; a reload swaps it
 * whole.
 */
export class ServedApi {
  readonly api: Api;
  readonly database: Database;
  readonly statements: WriteStatements;
  readonly keys: IdempotencyKeys;
  /** Undefined if no changes are recorded. */
  readonly auditLog: AuditLog | undefined;
  readonly readiness: ReadinessProbe;
  /** The settings of a caller's statements; undefined without `database.session`. */
  readonly sessionOf: ((claims: Claims) => SessionSettings) | undefined;
  readonly folder: string | undefined;
  /** Absent in `start`, and on PostgreSQL. */
  readonly sandboxes: Sandboxes | undefined;
  /** Undefined without `code` in the file. */
  readonly code: LoadedCode | undefined;
  /** The endpoints of own code; undefined without any. */
  readonly endpoints: RouteTable<Endpoint> | undefined;
  /** The requests that use it. */
  readonly inFlight = new InFlight();
  /** While its database is being changed: resolves when requests may go on, perhaps with another one. */
  suspension: Promise<void> | undefined;
  private readonly views: BoundedCache<View>;
  /** Views by caller: a caller that comes again is the same object. */
  private readonly seen: WeakMap<Subject, Map<Version, View>>;
  private readonly plans: BoundedCache<CompiledRead>;
  /** Plans of reads by id without parameters, the most frequent reads: found without building a key. */
  private readonly plain: WeakMap<ResourceView, CompiledRead>;
  private readonly groupPlans: BoundedCache<CompiledGroups>;
  private readonly exportPlans: BoundedCache<CompiledExport>;

  /** `folder`: that of the specification and its modules. `original`: the same on a database of which this is a copy. */
  constructor(
    api: Api,
    database: Database,
    folder?: string,
    sandboxes?: Sandboxes,
    code?: LoadedCode,
    original?: ServedApi,
  ) {
    this.api = code === undefined || original !== undefined ? api : code.filling(api);
    this.views = original?.views ?? new BoundedCache(keptViews);
    this.seen = original?.seen ?? new WeakMap();
    this.plans = original?.plans ?? new BoundedCache(keptPlans, keptKeyLength);
    this.plain = original?.plain ?? new WeakMap();
    this.groupPlans = original?.groupPlans ?? new BoundedCache(keptPlans, keptKeyLength);
    this.exportPlans = original?.exportPlans ?? new BoundedCache(keptPlans, keptKeyLength);
    this.code = code;
    this.endpoints = code?.routes;
    this.sessionOf = sessionsOf(api);
    if (this.sessionOf !== undefined && database.inSession === undefined) throw noSessions();
    this.sandboxes = sandboxes;
    this.folder = folder;
    this.database = database;
    if (original === undefined) database.serve?.(api);
    this.statements = writeStatements(database.dialect);
    this.keys = new IdempotencyKeys(database, isUnmanaged(api), api.settings.database);
    this.auditLog = api.audit && new AuditLog(api.audit, database);
    this.readiness = new ReadinessProbe(api, database);
  }

  /** The same on a copy of the database, with the same cached views and plans. */
  onCopy(database: Database): ServedApi {
    return new ServedApi(this.api, database, this.folder, undefined, this.code, this);
  }

  /** The pace of a transaction that begins. */
  readonly pace = (): Pace => {
    const { statementTimeout = databaseDefaults.statementTimeout } =
      this.api.settings.database ?? {};
    return new Pace(statementTimeout);
  };

  /** New requests wait until the returned function is called. */
  suspend(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.suspension = promise;
    return () => {
      this.suspension = undefined;
      resolve();
    };
  }

  view(version: Version, subject: Subject): View {
    const known = this.seen.get(subject)?.get(version);
    if (known !== undefined) return known;
    const view = this.sharedView(version, subject);
    const own = this.seen.get(subject);
    if (own === undefined) this.seen.set(subject, new Map([[version, view]]));
    else own.set(version, view);
    return view;
  }

  private sharedView(version: Version, subject: Subject): View {
    const key = viewKey(this.api, version, subject, claimsKey(this.api, subject));
    return getOrInsert(this.views, key, () => viewOf(this.api, version, subject, key));
  }

  /** The compiled read of a plan key, planned only if the key is new. Failures are not cached. */
  compiled(key: string, plan: () => Result<ReadPlan>): Result<CompiledRead> {
    return this.kept(this.plans, key, plan, compileRead);
  }

  /** As `compiled`, for a read by id without parameters. */
  compiledPlain(resourceView: ResourceView, plan: () => Result<ReadPlan>): Result<CompiledRead> {
    return this.kept(this.plain, resourceView, plan, compileRead);
  }

  /** As `compiled`, for a list that is read in portions. */
  compiledExport(key: string, plan: () => Result<ReadPlan>): Result<CompiledExport> {
    return this.kept(this.exportPlans, key, plan, compileExport);
  }

  /** As `compiled`, for a list in groups. */
  compiledGroups(key: string, plan: () => Result<GroupsPlan>): Result<CompiledGroups> {
    return this.kept(this.groupPlans, key, plan, compileGroups);
  }

  private kept<Key extends string | object, Plan, Compiled extends object>(
    plans: Kept<Key, Compiled>,
    key: Key,
    plan: () => Result<Plan>,
    compile: (plan: Plan, dialect: Dialect) => Compiled,
  ): Result<Compiled> {
    const known = plans.get(key);
    if (known !== undefined) return ok(known);
    const planned = plan();
    if (!planned.ok) return planned;
    const compiled = compile(planned.value, this.database.dialect);
    if (typeof key !== 'string' || key.length <= longestKey) plans.set(key, compiled);
    return ok(compiled);
  }

  /** For tests of its bound. */
  get planCount(): number {
    return this.plans.size;
  }
}
