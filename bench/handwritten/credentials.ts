import { createHmac, timingSafeEqual } from 'node:crypto';

/** Who asks, as the rule of the reads needs it. */
type Caller = { readonly roles: readonly string[]; readonly sub: number; readonly exp: number };

const kept = 1_000;

/** Reads who asks from an `Authorization` header: a JWT signed with the secret. What was checked once is kept until it ends. */
export function credentials(secret: string): (header: string | undefined) => Caller | undefined {
  const known = new Map<string, Caller>();
  const verified = (header: string): Caller | undefined => {
    const [head = '', claims = '', signature = ''] = header.replace(/^Bearer /u, '').split('.');
    const wanted = createHmac('sha256', secret).update(`${head}.${claims}`).digest();
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    if ((read(head) as { alg: unknown }).alg !== 'HS256') return undefined;
    const { roles, sub, exp } = read(claims) as { roles: string[]; sub: string; exp: number };
    return { roles, sub: Number(sub), exp };
  };
  return (header) => {
    if (header === undefined) return undefined;
    const now = Date.now() / 1_000;
    let caller = known.get(header);
    if (caller === undefined) {
      caller = verified(header);
      if (caller === undefined) return undefined;
      if (known.size >= kept) known.clear();
      known.set(header, caller);
    }
    return caller.exp > now ? caller : undefined;
  };
}
