import { serveApi, type TestApi } from '../support/api.ts';
import { caller, withTokens } from '../support/callers.ts';
import { hashOf } from '../support/tokens.ts';

export const editorKey = 'plk_an-editor-of-the-newsroom-0123456789';

/** Posts that all may read when they are published, authors change and editors delete; members are for editors. */
const newsroom = `${withTokens.replace(
  '{ jwt:',
  `{ apiKeys: [{ name: desk, hash: "${hashOf(editorKey)}", roles: [editor], sub: "1" }], jwt:`,
)}
resources:
  posts:
    access:
      read: [{ role: public, where: "status=published" }, { role: author }, { role: editor }]
      create: [author, editor]
      update: [author, editor]
      delete: editor
    fields:
      title: { type: string, required: true }
      status: { type: enum, values: [draft, published], default: draft }
      fee: { type: decimal, access: { read: editor, write: editor } }
  members:
    access: { read: editor, write: editor }
    fields: { name: { type: string, required: true } }
`;

/** A token with the name of its bearer, as identity providers make them. */
export function tokenOf(claims: Readonly<Record<string, unknown>>): string {
  return (caller(claims)['authorization'] ?? '').replace('Bearer ', '');
}

export const author = tokenOf({
  sub: '7',
  roles: ['author'],
  name: 'Zoë Ångström',
  picture: 'https://example.com/z.png',
});
export const late = tokenOf({ sub: '7', roles: ['author'], exp: 1_600_000_000 });

/** Serves it with a draft and what is published. */
export async function serveNewsroom(): Promise<TestApi> {
  const api = await serveApi(newsroom);
  const headers = { authorization: `Bearer ${editorKey}` };
  for (const status of ['draft', 'published'])
    await api.send('POST', '/v1/posts', { title: status, status }, headers);
  return api;
}
