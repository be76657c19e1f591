import { fail, joinErrors, type Result } from '../../../errors.ts';
import type { EndpointContext } from '../../../extensions/code.ts';
import type { Endpoint } from '../../../extensions/endpoints/endpoint.ts';
import type { Matched } from '../../../extensions/endpoints/route-table.ts';
import { matchingRules, refusalOf, type Caller } from '../../../model/access.ts';
import { OwnCodeContext } from '../own-code/context.ts';
import { codeCall, codeRunOf, runCode, type CodeCall } from '../own-code/run.ts';
import type { Response } from '../../response/response.ts';
import { enterSandbox } from '../../sandboxes/requests.ts';
import type { CodeRun, Exchange } from '../exchange.ts';
import { answerMethod, type EndpointRoute } from '../router.ts';
import { sunsetRefusal } from '../versions.ts';
import { readEndpointBody, readEndpointQuery } from './body.ts';
import { fetchResponse, outputOf, streamOf, valueResponse, type Output } from './output.ts';

/** In the order of the `Allow` header. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Answers a request to an endpoint of own code. See docs/contract/10-own-code.md#endpoints. */
export async function answerEndpoint(
  exchange: Exchange,
  { version, found }: EndpointRoute,
  caller: Caller,
): Promise<Result<Response>> {
  const { servedApi, method, trace, headers } = exchange;
  const { api } = servedApi;
  const ended = sunsetRefusal(version, api, exchange.clockAndIds.now);
  if (ended !== undefined) return fail(ended);
  const allowed = methods.filter((one) => found.byMethod.has(one));
  const answered = answerMethod(exchange, [...allowed, 'OPTIONS'].join(', '));
  if (answered !== undefined) return answered;
  const matched = found.byMethod.get(method);
  if (matched === undefined) throw new TypeError(`${method} was allowed`);
  const { endpoint, params } = matched;
  trace.route = endpoint.name;
  if (exchange.watching !== undefined) exchange.watching.params = params;
  if (matchingRules(endpoint.rules, caller).length === 0)
    return fail(refusalOf(caller, api.settings));
  const sandbox = headers['x-sandbox'];
  if (sandbox === undefined) return answerMatched(exchange, matched, caller);
  const { 'x-sandbox': _, ...others } = headers;
  const inside = await enterSandbox(exchange, String(sandbox));
  if (!inside.ok) return inside;
  return answerMatched({ ...inside.value, headers: others }, matched, caller);
}

async function answerMatched(
  exchange: Exchange,
  { endpoint, params }: Matched<Endpoint>,
  caller: Caller,
): Promise<Result<Response>> {
  const body = await readEndpointBody(exchange, endpoint);
  const query = await readEndpointQuery(exchange, endpoint);
  const [problem, ...problems] = [query, body].flatMap((one) => (one.ok ? [] : [one.error]));
  if (problem !== undefined) return fail(joinErrors(problem, ...problems));
  if (!body.ok || !query.ok) throw new TypeError('There was a problem');
  exchange.trace.enter('endpoint');
  const { name, timeout, handler } = endpoint;
  const run = codeRunOf(exchange, timeout);
  const call = codeCall(exchange, run, name);
  const context: EndpointContext = new EndpointCodeContext(call, caller, {
    params,
    query: query.value,
    body: body.value,
  });
  const given = await runCode(
    call,
    () => outputOf(handler(context as never), run),
    ({ kind }) => kind === 'value',
  );
  if (!given.ok) return given;
  exchange.trace.enter('finalize');
  // What own code gives may have no JSON, and is its fault then.
  return runCode(
    call,
    () => answer(exchange, run, given.value),
    () => false,
  );
}

/** What the handler of an endpoint gets. */
class EndpointCodeContext extends OwnCodeContext implements EndpointContext {
  readonly params: EndpointContext['params'];
  readonly query: EndpointContext['query'];
  readonly body: unknown;

  constructor(
    call: CodeCall,
    caller: Caller,
    { params, query, body }: Pick<EndpointContext, 'params' | 'body'> & { readonly query: unknown },
  ) {
    super(call, caller);
    this.params = params;
    this.query = query as EndpointContext['query'];
    this.body = body as unknown;
  }
}

function answer(exchange: Exchange, run: CodeRun, output: Output): Response {
  const { requestId, headers, stopping, onEnd } = exchange;
  if (output.kind === 'value') return valueResponse(output.value, requestId);
  run.meetDeadline();
  const gone = new AbortController();
  const stop = (): void => run.abort('the server stops');
  stopping.addEventListener('abort', stop);
  const stay = exchange.onGone(() => gone.abort());
  onEnd(() => {
    stopping.removeEventListener('abort', stop);
    stay();
  });
  const over = AbortSignal.any([gone.signal, stopping]);
  const asked = { requestId, accept: headers.accept, gone: gone.signal, over, onEnd };
  return output.kind === 'response'
    ? fetchResponse(output.response, asked)
    : streamOf(output, asked);
}
