import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import type { Certificate } from '../../http/server/listener.ts';

/** Tags of ASN.1 in DER. */
const tag = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  bytes: 0x04,
  objectId: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  time: 0x18,
  /** `[0]`, `[3]`: a member that holds another value. */
  holding: (number: number): number => 0xa0 + number,
  /** `[2]`, `[7]`: a member with a text or bytes of its own. */
  plain: (number: number): number => 0x80 + number,
};

/** One value: its tag, its length and its content. */
function der(kind: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  if (length < 128) return Buffer.concat([Buffer.of(kind, length), body]);
  const size = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.of(kind, 0x80 + size.length), size, body]);
}

/** `2.5.29.17` */
function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
  const groups = [first * 40 + second, ...others].map((part) => {
    const bytes = [part % 128];
    for (let rest = Math.floor(part / 128); rest > 0; rest = Math.floor(rest / 128))
      bytes.unshift(128 + (rest % 128));
    return Buffer.from(bytes);
  });
  return der(tag.objectId, ...groups);
}

/** `260301140500Z`, and from 2050 on `20500301140500Z`. */
function time(date: Date): Buffer {
  const text = `${date.toISOString().slice(0, 19).replaceAll(/[-:T]/gu, '')}Z`;
  return date.getUTCFullYear() < 2050
    ? der(tag.utcTime, Buffer.from(text.slice(2)))
    : der(tag.time, Buffer.from(text));
}

/** The bytes of an IPv4 or IPv6 address. */
function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [withoutZone] = address.split('%');
  // A URL has it in hexadecimal groups alone: `::ffff:1.2.3.4` as `::ffff:102:304`.
  const [head = '', tail = ''] = new URL(`http://[${withoutZone}]`).hostname
    .slice(1, -1)
    .split('::');
  const [before, after] = [head, tail].map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - (before?.length ?? 0) - (after?.length ?? 0) }, () => '0');
  const groups = [...(before ?? []), ...zeros, ...(after ?? [])];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

const ecdsaWithSha256 = der(tag.sequence, objectId('1.2.840.10045.4.3.2'));

/** What the certificate is for. Browsers want the names, and that it is for servers. */
function extensions(names: readonly string[]): Buffer {
  const critical = der(tag.boolean, Buffer.of(0xff));
  const extension = (id: string, value: Buffer, ...flags: readonly Buffer[]): Buffer =>
    der(tag.sequence, objectId(id), ...flags, der(tag.bytes, value));
  const altNames = names.map((name) =>
    isIP(name) > 0
      ? der(tag.plain(7), addressBytes(name))
      : der(tag.plain(2), Buffer.from(name, 'latin1')),
  );
  return der(
    tag.sequence,
    // basicConstraints: no authority.
    extension('2.5.29.19', der(tag.sequence), critical),
    // keyUsage: digitalSignature.
    extension('2.5.29.15', der(tag.bits, Buffer.of(7, 0x80)), critical),
    // extKeyUsage: serverAuth.
    extension('2.5.29.37', der(tag.sequence, objectId('1.3.6.1.5.5.7.3.1'))),
    // subjectAltName.
    extension('2.5.29.17', der(tag.sequence, ...altNames)),
  );
}

/** A self-signed certificate (X.509) for host names and addresses, with a key on the curve P-256. */
export function makeCertificate(
  names: readonly string[],
  { from, to }: { readonly from: Date; readonly to: Date },
  commonName = 'Plinth development',
): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const serial = randomBytes(16);
  // Positive, and as short as DER wants it.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const name = der(
    tag.sequence,
    der(tag.set, der(tag.sequence, objectId('2.5.4.3'), der(tag.utf8, Buffer.from(commonName)))),
  );
  const unsigned = der(
    tag.sequence,
    der(tag.holding(0), der(tag.integer, Buffer.of(2))),
    der(tag.integer, serial),
    ecdsaWithSha256,
    name,
    der(tag.sequence, time(from), time(to)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(tag.holding(3), extensions(names)),
  );
  const signature = sign('sha256', unsigned, privateKey);
  const certificate = der(
    tag.sequence,
    unsigned,
    ecdsaWithSha256,
    der(tag.bits, Buffer.of(0), signature),
  );
  return {
    cert: pem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/gu) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
