import { generate } from 'selfsigned';
import type { Certificate } from '../../src/http/server/listener.ts';

type SubjectAltNames = readonly (
  | { readonly type: 2; readonly value: string }
  | { readonly type: 7; readonly ip: string }
)[];

const thisMachine: SubjectAltNames = [
  { type: 2, value: 'localhost' },
  { type: 7, ip: '127.0.0.1' },
];

/** Makes a certificate that says who it is, for this machine or other names. */
export async function makeCertificate(
  name: string,
  until?: Date,
  altNames: SubjectAltNames = thisMachine,
  keyType: 'ec' | 'rsa' = 'ec',
): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: name }], {
    keyType,
    algorithm: 'sha256',
    ...(until === undefined ? {} : { notBeforeDate: new Date('2020-01-01'), notAfterDate: until }),
    extensions: [{ name: 'subjectAltName', altNames: [...altNames] }],
  });
  return { cert: made.cert, key: made.private };
}
