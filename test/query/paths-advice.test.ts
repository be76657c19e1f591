import { expect, test } from 'vitest';
import { serveApi } from '../support/api.ts';

const resources = 'resources: { posts: { fields: { title: { type: string } } } }';

test.each([
  ['', '/v1', '; what there is below it is in /v1/_openapi.json'],
  ['', '/v1/', '; paths end without a slash'],
  ['', '/v1/posts/', '; paths end without a slash'],
  ['', '/v1//posts', '; a double slash makes it another path'],
  [
    '',
    '/v1/posts/1/comments',
    '; no path is below a record: its fields are at /v1/posts/1, and its relations come with `expand`',
  ],
  [
    '',
    '/posts/1/cover/2',
    '; no path is below a record: its fields are at /posts/1, and its relations come with `expand`',
  ],
  ['basePath: /shop/api', '/shop/api', '; what there is below it is in /_openapi.json'],
  ['basePath: /shop/api', '/shop/api/v1', '; what there is below it is in /v1/_openapi.json'],
  ['basePath: /shop/api', '/v1/posts', '; the paths of this API begin with /shop/api/'],
  [
    'basePath: /shop/api',
    '/shop/api/_openapi.json',
    '; what begins with _ is at the root: /_openapi.json',
  ],
  ['', '/v1/_docs', '; what begins with _ is at the root: /_docs'],
  ['basePath: /shop/api', '/shop/apix', '; the paths of this API begin with /shop/api/'],
  ['basePath: /shop, unversioned: false', '/shop/posts', '; it has to begin with /shop/v1/'],
])('%s: %s', async (settings, path, advice) => {
  const api = await serveApi(`api: { ${settings} }\n${resources}`);
  const { status, body } = await api.get(path);
  expect([status, body]).toMatchObject([
    404,
    { code: 'UNKNOWN_RESOURCE', message: `There is nothing at ${path}${advice}` },
  ]);
  const [named] = /\S*_openapi\.json/u.exec(advice) ?? [];
  if (named !== undefined) expect((await api.get(named)).status).toBe(200);
  await api.stop();
});
