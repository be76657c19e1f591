/** What the server writes into the page. */
export interface Page {
  readonly title: string;
  /** As they stand in paths, the default one first. */
  readonly versions: readonly string[];
  readonly hasAuth: boolean;
  readonly hasDashboard: boolean;
}

/** Reads it: a policy that lets no script of the page run lets none be written there either. */
export function readPage(): Page {
  const { content = '{}' } =
    document.querySelector<HTMLMetaElement>('meta[name="reference"]') ?? {};
  return { title: document.title, ...(JSON.parse(content) as Omit<Page, 'title'>) };
}
