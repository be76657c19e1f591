import { apiError, needsCredentials, type ApiError } from '../../errors.ts';
import type { Caller } from '../../model/access.ts';
import { jsonResponse, type Response } from '../response/response.ts';
import { isAmong } from '../edge/honoured.ts';
import type { Exchange } from './exchange.ts';
import { nothingAt } from './router.ts';

/** `GET /_metrics`, to who may read them. */
export async function answerMetrics({ metrics, requestId }: Exchange): Promise<Response> {
  const { contentType, body } = await metrics.text();
  return jsonResponse(200, body, requestId, { 'content-type': contentType });
}

/**
 * Why a caller may not read the metrics: in `dev` everyone may, in `start` loopback clients and the callers that
 * `metrics` names. See docs/contract/6-operation.md#metrics.
 */
export function refuseMetrics(
  { mode, servedApi, client }: Exchange,
  caller: Caller,
): ApiError | undefined {
  const { metrics } = servedApi.api.settings;
  if (metrics === false) return nothingAt('/_metrics');
  if (mode === 'dev' || client.isLoopback || isAmong(metrics, caller)) return undefined;
  return caller.authenticated
    ? apiError('FORBIDDEN', 'The metrics are for the roles that `metrics` names')
    : needsCredentials;
}
