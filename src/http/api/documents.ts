import { getOrInsert } from '../../lib/get-or-insert.ts';
import { BoundedCache } from '../../lib/bounded-cache.ts';
import { matchingRules, type Caller } from '../../model/access.ts';
import type { Version } from '../../model/api.ts';
import type { ExampleRows } from '../../openapi/document/example.ts';
import { knownTag, openApiInTurns } from '../../openapi/document/document.ts';
import { readerPage, readerPolicy, readerStart } from '../../openapi/reference-page/page.ts';
import { readerScript } from '../../openapi/reference-page/script.ts';
import { compressedFile } from '../response/compression.ts';
import { jsonResponse, unlessKnown, type Response } from '../response/response.ts';
import { entityTag } from '../../records/serialize/record.ts';
import { mayDebug } from '../debug/audience.ts';
import { generatorOf } from '../debug/inspect.ts';
import { linkRoot, type Exchange } from './exchange.ts';
import type { ServedApi } from '../server/served-api.ts';
import { servedVersions } from './versions.ts';

/** A cached text with its entity tag. */
interface Document {
  readonly text: string;
  readonly etag: string;
}

/** How many documents of a served API are cached, and their total length: there may be one for each set of roles. */
const keptDocuments = 20;
const keptLength = 64 * 1024 * 1024;

/** The documents of a served API: cached, and being made. */
interface Documents {
  readonly kept: BoundedCache<Document>;
  readonly coming: Map<string, Promise<Document>>;
}

const documents = new WeakMap<ServedApi, Documents>();

function noDocuments(): Documents {
  const lengthOf = (_: string, { text }: Document): number => text.length;
  return { kept: new BoundedCache(keptDocuments, keptLength, lengthOf), coming: new Map() };
}

/**
 * Answers `/_openapi.json` and `/v<N>/_openapi.json`: the API as this caller sees it. See
 * docs/contract/7-data-debug-dashboard.md#openapi.
 */
export async function answerOpenApi(
  exchange: Exchange,
  version: Version,
  caller: Caller,
): Promise<Response> {
  const { servedApi } = exchange;
  const hasSandboxes = servedApi.sandboxes !== undefined;
  const view = servedApi.view(version, caller);
  const isDebugOn = mayDebug(exchange, caller);
  const { kept, coming } = getOrInsert(documents, servedApi, noDocuments);
  const server = linkRoot(exchange);
  const endpoints = (servedApi.code?.endpoints ?? []).filter(
    ({ rules }) => matchingRules(rules, caller).length > 0,
  );
  const named = endpoints.map(({ name }) => name).join();
  const tag = knownTag(view, new URLSearchParams(exchange.search).get('tag') ?? undefined);
  const key = `${String(isDebugOn)} ${server} ${view.key} ${named} ${JSON.stringify(tag)}`;
  const options = { isDebugOn, hasSandboxes, server, endpoints, tag };
  const make = async (): Promise<Document> => {
    const rows = await rowsOf(servedApi);
    const document = made(JSON.stringify(await openApiInTurns(view, { ...options, rows })));
    kept.set(key, document);
    return document;
  };
  const document =
    kept.get(key) ??
    (await getOrInsert(coming, key, () => make().finally(() => coming.delete(key))));
  return tagged(exchange, document, {});
}

/** Rows for examples; undefined if the data cannot be generated. */
async function rowsOf(servedApi: ServedApi): Promise<ExampleRows | undefined> {
  const [{ exampleRows }, generator] = await Promise.all([
    import('../../generate/examples.ts'),
    generatorOf(servedApi),
  ]);
  return generator && exampleRows(generator);
}

function made(text: string): Document {
  return { text, etag: entityTag(text) };
}

/** The text, or 304 if the client has it. */
function tagged(
  { headers, requestId }: Exchange,
  { text, etag }: Document,
  more: Readonly<Record<string, string>>,
): Response {
  return unlessKnown(jsonResponse(200, text, requestId, { etag, ...more }), etag, headers);
}

/** `/_docs`: the reference page. */
export async function answerReader(exchange: Exchange): Promise<Response> {
  const { api } = exchange.servedApi;
  const versions = servedVersions(api, exchange.clockAndIds.now)
    .map(({ number }) => number)
    // The default version comes first.
    .sort((a, b) => Number(b === api.defaultVersion) - Number(a === api.defaultVersion) || b - a);
  const page = readerPage(
    api.name,
    versions.map((version) => `v${version}`),
    api.settings.auth !== undefined,
  );
  const { publicUrl } = api.settings.server ?? {};
  return tagged(exchange, made(page), {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': readerPolicy(publicUrl && new URL(publicUrl).origin),
    'referrer-policy': 'no-referrer',
  });
}

const script = { 'content-type': 'text/javascript; charset=utf-8' };
const start = made(readerStart);

/** `/_docs/start.js`: starts the reference page. */
export async function answerReaderStart(exchange: Exchange): Promise<Response> {
  return tagged(exchange, start, script);
}

/** `/_docs/reader.js`: its script, compressed once. */
export async function answerReaderScript(exchange: Exchange): Promise<Response> {
  const response = tagged(exchange, await reader(), script);
  if (response.status !== 200) return response;
  return compressedFile('/_docs/reader.js', response, exchange.headers['accept-encoding']);
}

let loaded: Promise<Document> | undefined;

function reader(): Promise<Document> {
  loaded ??= readerScript().then(made);
  return loaded;
}
