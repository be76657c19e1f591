import type { Api, Resource } from '../../model/api.ts';

/** One part of the path of an endpoint: a fixed text, or a parameter that takes any text. */
export type Segment =
  | { readonly kind: 'fixed'; readonly text: string }
  | { readonly kind: 'parameter'; readonly name: string };

/** The method and path of an endpoint. */
export interface Pattern {
  /** As written: `POST /orders/:id/pay`. */
  readonly name: string;
  readonly method: string;
  readonly segments: readonly Segment[];
}

export const endpointMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Reads `POST /orders/:id/pay`; gives what is wrong as a text. */
export function readPattern(name: string): Pattern | string {
  const [method = '', path = '', ...rest] = name.split(' ');
  if (method === 'HEAD' || method === 'OPTIONS')
    return method === 'HEAD'
      ? 'HEAD is answered by the endpoint of GET; leave it out'
      : 'OPTIONS is answered by itself; leave it out';
  if (!endpointMethods.some((known) => known === method) || rest.length > 0 || path[0] !== '/')
    return `write a method and a path, such as \`POST /orders/:id/pay\`; methods are ${endpointMethods.join(', ')}`;
  const segments: Segment[] = [];
  for (const text of path.slice(1).split('/')) {
    const segment = readSegment(text);
    if (typeof segment === 'string') return segment;
    segments.push(segment);
  }
  const [first] = segments;
  if (first?.kind === 'fixed' && /^v\d+$/u.test(first.text))
    return `the path begins below the version; write \`${method} ${path.slice(first.text.length + 1) || '/…'}\``;
  if (first?.kind === 'fixed' && first.text.startsWith('_'))
    return `paths that begin with _ are the service's own; take another name than ${first.text}`;
  const names = segments.flatMap((segment) => (segment.kind === 'fixed' ? [] : [segment.name]));
  const twice = names.find((one, index) => names.indexOf(one) < index);
  if (twice !== undefined) return `the parameter :${twice} stands in it twice`;
  return { name, method, segments };
}

function readSegment(text: string): Segment | string {
  if (text === '') return 'a path has no empty segment and no slash at its end';
  if (!text.startsWith(':'))
    return /^(?!\.{1,2}$)[\w.~-]+$/u.test(text)
      ? { kind: 'fixed', text }
      : `the segment ${text} may have letters, digits and - _ . ~ alone, or is a parameter such as :id`;
  const name = text.slice(1);
  return /^[A-Za-z_]\w*$/u.test(name)
    ? { kind: 'parameter', name }
    : `the parameter ${text} needs a name of letters and digits, such as :id`;
}

/** The path with its parameters unnamed: two endpoints of one method and shape would be the same. */
export function shapeOf({ segments }: Pattern): string {
  return `/${segments.map((one) => (one.kind === 'fixed' ? one.text : ':')).join('/')}`;
}

/**
 * The resource that answers a path of an endpoint; undefined if none does. A fixed segment that is the id of no record,
 * such as `stats` where ids are numbers, is free. See docs/contract/10-own-code.md#endpoints, rule 3.
 */
export function resourceAt(
  { segments }: Pattern,
  { resources }: Pick<Api, 'resources'>,
): { readonly resource: Resource; readonly isRecord: boolean } | undefined {
  const [first, second, ...rest] = segments;
  if (first === undefined || rest.length > 0) return undefined;
  for (const resource of resources.values()) {
    if (first.kind === 'fixed' && first.text !== resource.name) continue;
    if (second === undefined) return { resource, isRecord: false };
    if (!resource.hasKey) continue;
    const isId =
      second.kind === 'parameter' || resource.id.type.parse(second.text, resource.id) !== undefined;
    if (isId) return { resource, isRecord: true };
  }
  return undefined;
}
