import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { keysOfFile, type JwtSpecification, type VerificationKey } from '../../auth/keys.ts';
import { exactNumber } from '../../model/exact-number.ts';
import { audienceOf } from '../../auth/tokens.ts';
import { algorithmsOf } from '../../specification/parsers/public-key.ts';
import { fromFolder, typedCommand, type Context } from '../../server/context.ts';
import { CommandFailure, fileReason } from '../../server/failure.ts';
import { readRoles } from './key.ts';
import { requireSpecification } from '../../server/files/specification.ts';

interface Flags {
  readonly spec?: string;
  readonly sub?: string;
  readonly role?: readonly string[];
  readonly expires?: string;
  readonly claim?: readonly string[];
  readonly privateKey?: string;
  readonly alg?: string;
  readonly kid?: string;
  readonly json?: boolean;
}

/** `plinth token`: a signed token that the specification accepts. */
export async function token(context: Context, flags: Flags): Promise<void> {
  const roles = readRoles(flags.role);
  const lifetime = readLifetime(flags.expires ?? '1h');
  const own = readClaims(flags.claim);
  const { name, api } = requireSpecification(context, flags);
  const jwt = api.settings.auth?.jwt;
  if (jwt === undefined)
    throw new CommandFailure(
      `${name} takes no tokens. Add "jwt" to its "auth", or make an API key with "${typedCommand(context, 'key')}".`,
    );
  const { rolesClaim = 'roles', issuer, typ = 'JWT' } = jwt;
  const [audience] = audienceOf(jwt) ?? [];
  refuseOthers(own, ['sub', 'exp', rolesClaim]);
  const issued = Math.floor(context.clockAndIds.now().getTime() / 1_000);
  const claims = {
    ...(issuer === undefined ? {} : { iss: issuer }),
    ...(audience === undefined ? {} : { aud: audience }),
    iat: issued,
    ...own,
    ...(flags.sub === undefined ? {} : { sub: flags.sub }),
    ...(roles.length === 0 ? {} : { [rolesClaim]: roles }),
    exp: issued + lifetime,
  };
  const { key, kid, alg } = signerOf(context, name, jwt, flags);
  const { SignJWT } = await import('jose');
  const header = { alg, typ, ...(kid === undefined ? {} : { kid }) };
  const signed = await new SignJWT(claims).setProtectedHeader(header).sign(key);
  if (flags.json === true)
    context.output.print(JSON.stringify({ ok: true, token: signed, header, claims }, undefined, 2));
  else context.output.print(signed);
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** The lifetime of a token, in s. */
function readLifetime(text: string): number {
  const [, digits = '', unit = ''] = /^([1-9]\d{0,6})([smhd])$/u.exec(text) ?? [];
  const seconds = Number(digits) * (units[unit] ?? 0);
  if (seconds > 0) return seconds;
  throw new CommandFailure(
    `The time must be written as 30s, 15m, 1h or 7d, not ${JSON.stringify(text)}. Change --expires.`,
    { exitCode: 2 },
  );
}

type Claims = Readonly<Record<string, unknown>>;

/** Claims of the form `name=value`. A value is read as JSON, or else as text. */
function readClaims(texts: readonly string[] = []): Claims {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = '', ...rest] = text.split('=');
      if (name === '' || rest.length === 0)
        throw new CommandFailure(
          `A claim is written as name=value, not ${JSON.stringify(text)}. Change --claim.`,
          { exitCode: 2 },
        );
      const value = rest.join('=');
      return [name, readClaim(name, value)];
    }),
  );
}

function readClaim(name: string, text: string): unknown {
  let isRounded = false;
  let value: unknown;
  try {
    value = JSON.parse(text, (_name, item: unknown, context?: { readonly source?: string }) => {
      if (typeof item === 'number')
        isRounded ||= typeof exactNumber(context?.source ?? '') !== 'number';
      return item;
    });
  } catch {
    return text;
  }
  if (!isRounded) return value;
  throw new CommandFailure(
    `A number in the claim ${name} has more digits than this command can sign. Write it as text: --claim '${name}="…"'.`,
    { exitCode: 2 },
  );
}

/** Rejects claims that have flags of their own. */
function refuseOthers(claims: Claims, others: readonly string[]): void {
  const name = others.find((other) => Object.hasOwn(claims, other));
  if (name !== undefined)
    throw new CommandFailure(
      `The claim ${name} comes from --sub, --role or --expires. Use that flag in place of --claim.`,
      { exitCode: 2 },
    );
}

interface Signer {
  readonly key: KeyObject;
  readonly alg: string;
  readonly kid: string | undefined;
}

/** The key and algorithm to sign with, so that a key of the specification verifies the token. */
function signerOf(context: Context, name: string, jwt: JwtSpecification, flags: Flags): Signer {
  const given = flags.privateKey === undefined ? undefined : readKey(context, flags.privateKey);
  const known = knownKey(name, jwt, given, flags);
  const { algorithms, kid } = known;
  const alg = flags.alg ?? algorithms[0];
  if (alg === undefined || !algorithms.includes(alg))
    throw new CommandFailure(
      algorithms.length === 0
        ? `No algorithm that ${name} accepts fits this key. Name another with --private-key.`
        : `This key signs by ${algorithms.join(', ')}, not by ${alg}. Change --alg.`,
    );
  return { key: given ?? known.key, alg, kid };
}

function readKey(context: Context, path: string): KeyObject {
  let text: string;
  try {
    text = readFileSync(fromFolder(context, path), 'utf8');
  } catch (error) {
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    throw new CommandFailure(`${path} cannot be read: ${reason}. Name another file.`, {
      cause: error,
    });
  }
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw new CommandFailure(
      `${path} is not a private key in PEM without a password. Name another with --private-key.`,
      { cause: error },
    );
  }
}

/** The key that verifies the token, from the specification or the private key. */
function knownKey(
  name: string,
  jwt: JwtSpecification,
  given: KeyObject | undefined,
  { kid }: Flags,
): VerificationKey {
  if (jwt.jwksUri !== undefined) {
    if (given === undefined) throw needsPrivateKey(name);
    const all = algorithmsOf(given);
    const algorithms = all.filter((alg) => jwt.algorithms?.includes(alg) ?? true);
    return { key: given, kid, algorithms };
  }
  const keys = keysOfFile(jwt).filter((key) => kid === undefined || (key.kid ?? kid) === kid);
  if (keys.length === 0)
    throw new CommandFailure(`${name} has no key with the kid ${kid}. Change --kid.`);
  const counterpart = given && createPublicKey(given);
  const found = keys.find(({ key }) =>
    counterpart === undefined
      ? key.type === 'secret'
      : key.type === 'public' && key.equals(counterpart),
  );
  if (found !== undefined) return { ...found, kid: found.kid ?? kid };
  if (counterpart === undefined) throw needsPrivateKey(name);
  throw new CommandFailure(
    keys.every(({ key }) => key.type === 'secret')
      ? `${name} checks tokens with a secret. Leave --private-key out.`
      : `The private key belongs to no public key in ${name}. Name another with --private-key.`,
  );
}

function needsPrivateKey(name: string): CommandFailure {
  return new CommandFailure(
    `${name} has only public keys, which cannot sign. Name the file of the private key with --private-key.`,
    { exitCode: 2 },
  );
}
