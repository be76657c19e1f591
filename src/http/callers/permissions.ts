import { decide, operations, type Caller } from '../../model/access.ts';
import { jsonResponse, type Response } from '../response/response.ts';
import {
  mayCreate,
  mayLink,
  mayUpdate,
  type InputView,
  type ResourceView,
  type View,
} from '../../model/view.ts';
import type { Exchange } from '../api/exchange.ts';
import { servedVersions } from '../api/versions.ts';

/** Whether an operation is allowed on all records, or on those that row rules leave. */
type Allowed = 'all' | 'some';

/**
 * Answers `GET /_permissions`: what this caller may do in each version, and nothing that it may not. See
 * docs/contract/5-access.md#permissions.
 */
export async function answerPermissions(exchange: Exchange, caller: Caller): Promise<Response> {
  const { servedApi, requestId, clockAndIds } = exchange;
  const { api } = servedApi;
  const versions = servedVersions(api, clockAndIds.now).map((version) => [
    `v${version.number}`,
    permissionsIn(servedApi.view(version, caller)),
  ]);
  const body = {
    authenticated: caller.authenticated,
    roles: [...caller.roles].filter((role) => api.roles.has(role)),
    defaultVersion: `v${api.defaultVersion}`,
    versions: Object.fromEntries(versions) as object,
  };
  return jsonResponse(200, JSON.stringify(body), requestId);
}

function permissionsIn(view: View): object {
  return Object.fromEntries(
    view.resourceViews().map((resourceView) => [resourceView.name, permissionsOn(resourceView)]),
  );
}

/** The allowed operations, and the uses of each field and relation. */
function permissionsOn(resourceView: ResourceView): object {
  const allowed = new Map<string, Allowed>();
  for (const operation of operations) {
    const decision = decide(resourceView.rules[operation]);
    if (decision.allowed !== 'none') allowed.set(operation, decision.allowed);
  }
  const uses = (input: InputView): readonly string[] => [
    ...(resourceView.fields.has(input.name) ? ['read'] : []),
    ...(mayCreate(input) && allowed.has('create') ? ['create'] : []),
    ...(mayUpdate(input) && allowed.has('update') ? ['update'] : []),
  ];
  const fields = [...resourceView.inputs.values()]
    .map((input) => [input.name, uses(input)] as const)
    .filter(([, own]) => own.length > 0);
  const writes = (['create', 'update'] as const).filter((operation) => allowed.has(operation));
  const relations = [...resourceView.relations].map(([name, view]) => {
    const isLinked = writes.some((operation) => mayLink(view, resourceView, operation));
    return [name, ['read', ...(isLinked ? ['write'] : [])]] as const;
  });
  return {
    operations: Object.fromEntries(allowed),
    fields: Object.fromEntries(fields),
    relations: Object.fromEntries(relations),
  };
}
