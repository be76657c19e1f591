import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

const decompress = promisify(brotliDecompress);

/** Where the build puts the script, compressed: 1 MB instead of 4. A checkout has none there. */
const built = new URL('reader.js.br', import.meta.url);

/** The script of the reader: the file that the build made, or in a checkout what the reader's package carries. */
export function readerScript(): Promise<string> {
  return readFile(built).then(async (bytes) => String(await decompress(bytes)), packagedScript);
}

/** The package holds the script as a text in its plugin, which gives it only as an answer. */
export async function packagedScript(): Promise<string> {
  const [{ fastify }, { default: reader }] = await Promise.all([
    import('fastify'),
    import('@scalar/fastify-api-reference'),
  ]);
  const app = fastify();
  await app.register(reader, { routePrefix: '/reader', configuration: { url: '/' } });
  const { statusCode, body } = await app.inject('/reader/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error(`The reader's package gives no script: ${statusCode}`);
  return body;
}
