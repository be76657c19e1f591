import type {
  CodeContext,
  CodeLog,
  CodeRequest,
  Db,
  AnyApi,
  Fail,
  User,
} from '../../../extensions/code.ts';
import type { Caller, Claims, ClaimValue } from '../../../model/access.ts';
import { ExactNumber } from '../../../model/exact-number.ts';
import type { NoteLevel } from '../../../observability/events.ts';
import type { Exchange } from '../exchange.ts';
import { dbOf } from '../in-process.ts';
import { refuse } from './failing.ts';
import { below, type CodeCall } from './run.ts';

/** What a function of own code gets. Its members are made when they are first asked for. */
export class OwnCodeContext implements CodeContext {
  readonly fail: Fail = refuse;
  private readonly call: CodeCall;
  private readonly caller: Caller;
  private made: {
    user?: User | undefined;
    request?: CodeRequest;
    db?: Db<AnyApi>;
    log?: CodeLog;
    now?: Date;
  } = {};

  constructor(call: CodeCall, caller: Caller) {
    this.call = call;
    this.caller = caller;
  }

  get user(): User | undefined {
    const { authenticated, claims, roles, name } = this.caller;
    if (!authenticated) return undefined;
    return (this.made.user ??= {
      sub: subOf(claims['sub']) ?? name,
      roles: [...roles],
      claims: copyOf(claims) as Claims,
    });
  }

  get request(): CodeRequest {
    const { method, path, search, rawHeaders, client, requestId } = this.call.exchange;
    return (this.made.request ??= {
      method,
      path,
      query: new URLSearchParams(search),
      headers: headersOf(rawHeaders),
      ip: client.address,
      id: requestId,
    });
  }

  get db(): Db<AnyApi> {
    const { exchange, run, place, calls } = this.call;
    return (this.made.db ??= dbOf(below(exchange, run, place), this.caller, calls) as Db<AnyApi>);
  }

  get log(): CodeLog {
    return (this.made.log ??= logOf(this.call.exchange));
  }

  get now(): Date {
    return (this.made.now ??= this.call.exchange.clockAndIds.now());
  }

  get signal(): AbortSignal {
    return this.call.run.signal;
  }

  get mode(): 'dev' | 'start' {
    return this.call.exchange.mode;
  }
}

/** Claims are kept with the caller for later requests, and rules are judged by them: own code gets a copy. */
function copyOf(value: ClaimValue): ClaimValue {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  if (Array.isArray(value)) return (value as readonly ClaimValue[]).map(copyOf);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copyOf(one)]));
}

function subOf(sub: unknown): string | undefined {
  return typeof sub === 'string' || typeof sub === 'number' ? String(sub) : undefined;
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at] ?? '', raw[at + 1] ?? '');
  return headers;
}

function logOf({ note, requestId }: Exchange): CodeLog {
  const at =
    (level: NoteLevel): CodeLog['info'] =>
    (message, details) =>
      note({ level, requestId, message, details });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
