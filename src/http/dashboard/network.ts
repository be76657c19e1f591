import { breaks, onlyOf, type BrokenRule } from '../../problem-rules.ts';
import { apiError, fail, ok, type FieldProblem, type Result } from '../../errors.ts';
import type { Api } from '../../model/api.ts';
import { isJsonObject } from '../../model/values.ts';
import { parseBody } from '../../query/request/body.ts';
import type { NetworkSpecification } from '../../specification/specification.ts';
import type { NetworkChange } from './wire.ts';
import type { SimulatedNetwork } from '../simulation/simulated-network.ts';

/** The longest latency, in ms; as in `X-Simulate`. */
const longestLatency = 60_000;
/** How many statuses a change may name. */
const mostErrors = 20;

/** The current network settings: of the API and of each resource. */
export function networkDocument(
  network: SimulatedNetwork,
  api: Api,
  names: readonly string[],
): object {
  const told = (resource: string | undefined): object => ({
    source: network.sourceOf(api.settings, resource),
    settings: network.settingsOf(api.settings, resource) ?? {},
  });
  return {
    overall: told(undefined),
    resources: names.map((name) => ({ name, ...told(name) })),
  };
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads `{ "resource": name | null, "settings": { latency, errorRate, errors, throttling } | null }`. `seed` stays as it
 * is, and `errors` if it is not given. INVALID_JSON, INVALID_BODY, or VALIDATION_FAILED with all problems.
 */
export function readNetworkChange(
  bytes: Buffer,
  names: readonly string[],
  current: (resource: string | undefined) => NetworkSpecification | undefined,
): Result<NetworkChange> {
  const parsed = parseBody(bytes);
  if (!parsed.ok) return parsed;
  const body = parsed.value;
  if (!isJsonObject(body)) return fail(apiError('INVALID_BODY', 'The body must be a JSON object'));
  const problems: FieldProblem[] = [];
  const report: Report = (field, message, broken) =>
    void problems.push({ field, message, ...broken });
  only(body, ['resource', 'settings'], '', report);
  const { resource = null, settings } = body;
  if (resource !== null && !names.some((name) => name === resource))
    report(
      'resource',
      'is the name of a resource, or null for all',
      breaks('enum', { values: names }),
    );
  if (settings !== null && !isJsonObject(settings))
    report('settings', 'is an object or null', breaks('type', { expected: 'object' }));
  const name = typeof resource === 'string' ? resource : undefined;
  const read = isJsonObject(settings) ? readSettings(settings, report) : undefined;
  if (problems.length > 0)
    return fail(apiError('VALIDATION_FAILED', 'The change is not valid', { problems }));
  if (read === undefined) return ok({ resource: name, settings: undefined });
  const { seed, errors } = current(name) ?? {};
  const kept = {
    ...(seed === undefined ? {} : { seed }),
    ...(errors === undefined ? {} : { errors }),
  };
  return ok({ resource: name, settings: { ...kept, ...read } });
}

type Report = (field: string, message: string, broken: BrokenRule) => void;

function readSettings(settings: Members, report: Report): NetworkSpecification {
  only(settings, ['latency', 'errorRate', 'errors', 'throttling'], 'settings.', report);
  const { latency, errorRate, errors, throttling } = settings;
  let read: NetworkSpecification = {};
  if (isGiven(latency)) {
    const { min, max } = isJsonObject(latency) ? latency : {};
    if (isJsonObject(latency)) only(latency, ['min', 'max'], 'settings.latency.', report);
    if (isWithin(min, 0, longestLatency) && isWithin(max, min, longestLatency))
      read = { ...read, latency: { min, max } };
    else
      report(
        'settings.latency',
        `has min and max from 0 to ${longestLatency} ms, max no less than min`,
        breaks('range', { min: 0, max: longestLatency }),
      );
  }
  if (isGiven(errorRate)) {
    if (isWithin(errorRate, 0, 1)) read = { ...read, errorRate };
    else
      report('settings.errorRate', 'is a number from 0 to 1', breaks('range', { min: 0, max: 1 }));
  }
  if (isGiven(errors)) {
    const list = Array.isArray(errors) ? (errors as unknown[]) : [];
    const told = list.flatMap((one) => {
      const { status, weight = 1 } = isJsonObject(one) ? one : {};
      const isStatus = isWithin(status, 400, 599) && Number.isInteger(status);
      return isStatus && isWithin(weight, 0, 1e9) ? [{ status, weight }] : [];
    });
    if (told.length > 0 && told.length === list.length && list.length <= mostErrors)
      read = { ...read, errors: told };
    else
      report(
        'settings.errors',
        `is a list of 1 to ${mostErrors} objects with a status from 400 to 599, and a weight of at least 0`,
        breaks('range', { min: 400, max: 599 }),
      );
  }
  if (isGiven(throttling)) {
    const { rate } = isJsonObject(throttling) ? throttling : {};
    if (isJsonObject(throttling)) only(throttling, ['rate'], 'settings.throttling.', report);
    if (isWithin(rate, 1, 1e12) && Number.isInteger(rate)) read = { ...read, throttling: { rate } };
    else
      report(
        'settings.throttling',
        'has a rate of whole bytes a second, at least 1',
        breaks('minimum', { min: 1 }),
      );
  }
  return read;
}

function only(members: Members, known: readonly string[], prefix: string, report: Report): void {
  for (const name of Object.keys(members))
    if (!known.includes(name))
      report(`${prefix}${name}`, `is unknown; there is ${known.join(', ')}`, onlyOf(known));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isWithin(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most;
}
