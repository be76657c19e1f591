import type { Endpoints } from './resources.ts';
import type { RequestOptions } from './types.ts';

/** What every request may be given. */
/** The method and path of an endpoint of own code. */
export type EndpointName = keyof Endpoints & string;

/** The value of a parameter; a list gives it several times. */
export type QueryValue = string | number | boolean | readonly (string | number | boolean)[];

type OptionsOf<E extends EndpointName> = Endpoints[E] extends { readonly options: infer Options }
  ? Options
  : never;
type ResponseOf<E extends EndpointName> = Endpoints[E] extends { readonly response: infer Given }
  ? Given
  : never;
type CallOptions<E extends EndpointName> = NonNullable<OptionsOf<E>> & RequestOptions;

export interface Calls {
  /** Calls an endpoint. Gives its JSON; an answer that is no JSON as the `Response` itself. */
  readonly call: <E extends EndpointName>(
    name: E,
    ...options: undefined extends OptionsOf<E>
      ? [options?: CallOptions<E>]
      : [options: CallOptions<E>]
  ) => Promise<ResponseOf<E>>;
}
