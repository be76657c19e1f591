/** The path under which an application has mounted the API, and so this page; empty for its root. */
export const mount = mountIn(
  (globalThis as { location?: { readonly pathname: string } }).location?.pathname ?? '',
);

function mountIn(page: string): string {
  return page.replace(/\/_(?:dashboard|docs)(?:\/.*)?$/su, '');
}
