import { readFileSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import { defineConfig } from 'vitepress';
import { anchorOf } from '../../scripts/guide.ts';
import { leftOut, sections } from './navigation.ts';

const docs = resolve(import.meta.dirname, '..');
const { repository } = JSON.parse(readFileSync(resolve(docs, '../package.json'), 'utf8')) as {
  readonly repository?: { readonly url: string };
};
const repositoryUrl = repository?.url.replace(/^git\+/u, '').replace(/\.git$/u, '');

/** The path from the root of the repository of a link to a file that the site does not have. */
function outsideOfSite(page: string, href: string): string | undefined {
  if (/^(?:\w+:|#|\/)/u.test(href)) return undefined;
  const path = posix.join('docs', posix.dirname(page), href);
  const [file = ''] = path.split('#');
  const isLeftOut = leftOut.some((pattern) => posix.matchesGlob(file, `docs/${pattern}`));
  return isLeftOut || !path.startsWith('docs/') ? path : undefined;
}

export default defineConfig({
  title: 'Plinth',
  description: 'One file becomes a complete REST API, from the first mock to production.',
  lang: 'en',
  outDir: resolve(docs, '../site'),
  cacheDir: resolve(docs, '../node_modules/.cache/vitepress'),
  srcExclude: [...leftOut],
  ignoreDeadLinks: 'localhostLinks',
  metaChunk: true,
  markdown: {
    anchor: { slugify: anchorOf },
    config(markdown) {
      markdown.core.ruler.push('outside-of-site', ({ tokens, env }) => {
        for (const { children } of tokens) {
          let isUnlinked = false;
          for (const token of children ?? []) {
            const href = token.type === 'link_open' ? token.attrGet('href') : null;
            const path = href === null ? undefined : outsideOfSite(String(env.relativePath), href);
            if (path !== undefined && repositoryUrl !== undefined)
              token.attrSet('href', `${repositoryUrl}/blob/main/${path}`);
            else if (path !== undefined || (isUnlinked && token.type === 'link_close')) {
              isUnlinked = token.type === 'link_open';
              token.type = isUnlinked ? 'span_open' : 'span_close';
              token.tag = 'span';
              token.attrs = null;
            }
          }
        }
      });
      // Pages are compiled as templates of Vue, in which braces of a text would be expressions.
      const { rules } = markdown.renderer;
      for (const name of ['text', 'code_inline']) {
        const render = rules[name];
        rules[name] = (...args) => render?.(...args).replaceAll('{{', '&#123;&#123;') ?? '';
      }
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'How to', link: '/how-to/' },
      { text: 'Reference', link: '/reference/' },
    ],
    sidebar: sections.map(({ text, entries }) => ({
      text,
      items: entries.map(({ text: title, file }) => ({
        text: title,
        link: `/${file.replace(/(?:index)?\.md$/u, '')}`,
      })),
    })),
    ...(repositoryUrl === undefined
      ? {}
      : { socialLinks: [{ icon: 'github', link: repositoryUrl }] }),
  },
});
