import { list, map, object, required, scalarOrList } from '../parsers/collections.ts';
import {
  either,
  exactly,
  refined,
  withSchema,
  type Definition,
  type ReportBelow,
} from '../parsers/definition.ts';
import { algorithmsOf, readPublicKey } from '../parsers/public-key.ts';
import { claimNames } from '../parsers/names.ts';
import { anyJson, choice, date, text } from '../parsers/scalars.ts';
import type { AuthSpecification } from '../specification.ts';
import { role } from './common.ts';
import { advised, otherAuthWords } from './other-words.ts';

const symmetric = ['HS256', 'HS384', 'HS512'] as const;
const asymmetric = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

/** Without `none`, since an unsigned token proves nothing. */
const algorithm: Definition<string> = choice([...symmetric, ...asymmetric], {
  description: 'An algorithm of JWT.',
});

const key = object({
  name: required(text({ description: 'What the key is called in logs and quotas.' })),
  hash: required(
    text({
      description: 'The hash that `plinth key` shows: `sha256:` and 64 hexadecimal digits.',
      expects: 'a hash as `plinth key` shows it: sha256: and 64 digits of 0-9a-f',
      pattern: /^sha256:[0-9a-f]{64}$/,
    }),
  ),
  roles: list(role, { description: 'The roles of who uses this key.' }),
  sub: text({ description: 'The subject of who uses this key, `{user.sub}` in access rules.' }),
  claims: map(claimNames, anyJson(), {
    description: 'What access rules take for `{user.<claim>}`, as from a token.',
    expects: 'a map such as { tenant: 7 }',
  }),
  expires: date({ description: 'The day from which this key is no longer accepted, in UTC.' }),
});

/** Names must be unique, since they identify the caller in logs and quotas; a repeated hash would have two sets of roles. */
const apiKeys = refined(
  list(key, { description: 'Keys made by `plinth key`.' }),
  (keys, report) => {
    distinct(keys, 'name', [], report);
    distinct(keys, 'hash', [], report);
    for (const [index, { claims = {} }] of keys.entries()) {
      if (claims['sub'] !== undefined)
        report([index, 'claims', 'sub'], '`sub` stands beside `claims`, not in it');
    }
  },
);

const secret = refined(
  text({ description: 'The secret of HS256, HS384 or HS512: at least 32 bytes.' }),
  (value, report) => {
    const bytes = Buffer.byteLength(value);
    if (bytes < 32) report([], `a secret has to have at least 32 bytes, this one has ${bytes}`);
    // A public key as the secret would let anyone sign tokens, and a verifier must not hold a private key.
    else if (/-----BEGIN [A-Z ]*(?:KEY|CERTIFICATE)-----/u.test(value))
      report([], 'a key in PEM is not a secret of HS…; give the public key as `publicKey`');
  },
);
const publicKey = refined(
  text({ description: 'The public key (PEM) of the algorithms that are not HS….' }),
  (value, report) => {
    const key = readPublicKey(value);
    if (!key.ok) report([], `this ${key.error}`);
  },
);

const jwtKey = refined(
  withSchema(
    object({
      kid: required(text({ description: 'The `kid` of the tokens that this key signed.' })),
      alg: required(algorithm),
      secret,
      publicKey,
    }),
    { oneOf: [{ required: ['secret'] }, { required: ['publicKey'] }] },
  ),
  (value, report) => {
    exactlyOne(value, ['secret', 'publicKey'], report);
    agree([value.alg], ['alg'], value, report);
  },
);

const keySources = ['secret', 'publicKey', 'keys', 'jwksUri'] as const;

const jwt = refined(
  withSchema(
    object(
      {
        secret,
        publicKey,
        keys: list(jwtKey, {
          description:
            'Several keys at once, told apart by `kid`: for changing them without a gap.',
          minimum: 1,
        }),
        jwksUri: text({
          description: 'Where the issuer publishes its keys.',
          expects: 'an https: URL (http: on this machine only)',
          pattern:
            /^(https:\/\/[^\s/?#]+|http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?)([/?#]\S*)?$/,
        }),
        algorithms: list(algorithm, {
          description: 'The algorithms that are accepted.',
          minimum: 1,
        }),
        issuer: text({ description: 'The `iss` that a token has to have.' }),
        audience: scalarOrList(
          text({ expects: 'an audience' }),
          list(text({ expects: 'an audience' }), { minimum: 1, expects: 'a list of audiences' }),
          {
            description:
              'The `aud` that a token has to have, or one of several; `any` if every audience is meant.',
          },
        ),
        rolesClaim: text({ description: 'The claim that holds the roles.', default: 'roles' }),
        typ: text({
          description: 'The `typ` that the header of a token has to have, such as `at+jwt`.',
        }),
      },
      { description: 'Signed tokens: by what they are checked.' },
    ),
    { oneOf: keySources.map((name) => ({ required: [name] })) },
  ),
  (value, report) => {
    exactlyOne(value, keySources, report);
    const { algorithms } = value;
    agree(algorithms ?? [], ['algorithms'], value, report);
    distinct(value.keys ?? [], 'kid', ['keys'], report);
    for (const [index, { alg }] of (value.keys ?? []).entries()) {
      if (algorithms?.includes(alg) ?? true) continue;
      report(['keys', index, 'alg'], `${alg} is not among the \`algorithms\` that are accepted`);
    }
  },
);

/** Reports each item whose value under a name repeats that of an earlier item. */
function distinct<Name extends string>(
  items: readonly Readonly<Record<Name, string>>[],
  name: Name,
  path: readonly string[],
  report: ReportBelow,
): void {
  const values = items.map((item) => item[name]);
  for (const [index, value] of values.entries()) {
    if (values.indexOf(value) === index) continue;
    report([...path, index, name], `\`${value}\` is the \`${name}\` of two keys`);
  }
}

function exactlyOne(
  value: Readonly<Record<string, unknown>>,
  names: readonly string[],
  report: ReportBelow,
): void {
  const given = names.filter((name) => value[name] !== undefined);
  const wanted = names.map((name) => `\`${name}\``).join(', ');
  if (given.length === 0) report([], `one of ${wanted} is needed to check tokens`);
  const [, second] = given;
  if (second !== undefined) report([second], `only one of ${wanted} may be given`);
}

/** A secret requires symmetric algorithms, a public key those of its type. */
function agree(
  algorithms: readonly string[],
  path: readonly string[],
  keys: { readonly secret?: string; readonly publicKey?: string; readonly jwksUri?: string },
  report: ReportBelow,
): void {
  const { secret, publicKey: pem, jwksUri } = keys;
  const key = pem === undefined ? undefined : readPublicKey(pem);
  const fitting = key?.ok === true ? algorithmsOf(key.value) : asymmetric;
  for (const [index, name] of algorithms.entries()) {
    const isSymmetric = name.startsWith('HS');
    const at = algorithms.length === 1 && path[0] === 'alg' ? path : [...path, index];
    if (isSymmetric && (pem !== undefined || jwksUri !== undefined)) {
      report(at, `${name} needs a \`secret\`; with a public key anyone could sign`);
    } else if (!isSymmetric && secret !== undefined) {
      report(at, `${name} needs a \`publicKey\`, not a \`secret\``);
    } else if (!isSymmetric && !fitting.some((algorithm) => algorithm === name)) {
      report(at, `${name} does not fit this key, which is for ${either(fitting)}`);
    }
  }
}

/** `auth`. See docs/contract/5-access.md#credentials. */
export const auth = exactly<AuthSpecification>()(
  object(
    {
      apiKeys,
      jwt,
    },
    { description: 'Which credentials are taken.', unknown: advised(otherAuthWords) },
  ),
);
