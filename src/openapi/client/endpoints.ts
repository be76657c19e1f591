import type { DocumentedEndpoint, EndpointSchema } from '../document/endpoints.ts';
import { typeOfSchema } from './json-schema-type.ts';

/** The type that tells the client what each endpoint takes and gives. */
export function endpointsType(endpoints: readonly DocumentedEndpoint[]): string {
  const members = endpoints.map((endpoint) => {
    const { name, summary, description = summary } = endpoint;
    const doc = description === undefined ? '' : `  /** ${oneLine(description)} */\n`;
    return `${doc}  ${JSON.stringify(name)}: { ${typesOf(endpoint).join(' ')} };`;
  });
  return `/** Every endpoint of own code, by method and path. */\nexport interface Endpoints {\n${members.join('\n')}\n}\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').replaceAll('*/', '* /').trim();
}

const rawTypes = {
  bytes: 'Blob | ArrayBuffer | Uint8Array<ArrayBuffer>',
  text: 'Blob',
  form: 'URLSearchParams',
  multipart: 'FormData',
} as const;

function typesOf({ segments, body, query, response }: DocumentedEndpoint): readonly string[] {
  const params = segments.flatMap((one) =>
    one.kind === 'fixed' ? [] : [`readonly ${JSON.stringify(one.name)}: string | number;`],
  );
  const { required = [] } = query?.json ?? {};
  const isNeeded = Array.isArray(required) && required.length > 0;
  const options = [
    ...(params.length === 0 ? [] : [`readonly params: { ${params.join(' ')} };`]),
    query === undefined
      ? 'readonly query?: { readonly [name: string]: QueryValue | undefined } | undefined;'
      : `readonly query${isNeeded ? ': ' : '?: undefined | '}${typeOf(query)};`,
    ...(body === undefined
      ? []
      : [`readonly body: ${typeof body === 'string' ? rawTypes[body] : typeOf(body)};`]),
  ];
  const isOptional = params.length === 0 && body === undefined && !isNeeded;
  return [
    `options: { ${options.join(' ')} }${isOptional ? ' | undefined' : ''};`,
    `response: ${response === undefined ? 'unknown' : typeOf(response)};`,
  ];
}

function typeOf({ json }: EndpointSchema): string {
  return json === undefined ? 'unknown' : typeOfSchema(json, json);
}
