import { generate } from 'selfsigned';
import type { Certificate } from '../../src/http/listener.ts';

/** Makes a certificate for this machine that says who it is. */
export async function makeCertificate(name: string, until?: Date): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ...(until === undefined ? {} : { notBeforeDate: new Date('2020-01-01'), notAfterDate: until }),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { cert: made.cert, key: made.private };
}
