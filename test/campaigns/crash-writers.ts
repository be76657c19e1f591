/** A post of an answer. */
interface Made {
  readonly id: number;
  readonly title: string;
}

/** What a post holds, as the file is asked for it: `tags` is a JSON list of ids in order. */
export interface Post {
  readonly title: string;
  readonly views: number;
  readonly tags: string;
}

/** A state of a post: undefined where there is none. */
type State = Post | undefined;

const agent = 6;

/**
 * Clients that write at once, each to posts of its own, and remember what a server has answered. What was sent and
 * not answered may be there or not, but as a whole.
 */
export class Writers {
  /** How many writes were answered. */
  acknowledged = 0;
  private readonly draw: () => number;
  /** By id, what is certain. */
  private readonly known = new Map<number, Post>();
  /** By id, what else it may be, since an answer is missing. */
  private readonly perhaps = new Map<number, State>();
  /** Posts of one request that was not answered: by their titles; all of them are there, or none. */
  private pending: (readonly Post[])[] = [];
  /** Ids of posts that one request without an answer was to change: all of them, or none. */
  private together: (readonly number[])[] = [];
  private drawn = 0;

  constructor(draw: () => number) {
    this.draw = draw;
  }

  /** Writes until the server is gone. */
  async run(url: string): Promise<void> {
    await Promise.all(Array.from({ length: agent }, (_, index) => this.writing(url, index)));
  }

  private async writing(url: string, index: number): Promise<void> {
    for (;;) {
      const own = [...this.known.keys()].filter((id) => id % agent === index);
      const id = own[Math.floor(this.draw() * own.length)];
      const kind = this.draw();
      let isThere: boolean;
      const ids = own.slice(0, 5);
      if (id === undefined || kind < 0.25) isThere = await this.create(url, [this.newPost()]);
      else if (kind < 0.5)
        isThere = await this.create(
          url,
          Array.from({ length: 5 }, () => this.newPost()),
        );
      else if (kind < 0.6) isThere = await this.patchMany(url, ids);
      else if (kind < 0.65) isThere = await this.removeMany(url, ids);
      else if (kind < 0.9) isThere = await this.patch(url, id);
      else isThere = await this.remove(url, id);
      if (!isThere) return;
    }
  }

  private newPost(): Post {
    this.drawn += 1;
    return { title: `post ${this.drawn}`, views: 0, tags: this.someTags() };
  }

  private someTags(): string {
    const tags = [1, 2, 3, 4, 5, 6, 7, 8].filter(() => this.draw() < 0.3);
    return JSON.stringify(tags);
  }

  private async create(url: string, posts: readonly Post[]): Promise<boolean> {
    const bodies = posts.map(({ tags, ...post }) => ({
      ...post,
      token: post.title,
      tags: JSON.parse(tags) as number[],
    }));
    const answer = await this.sendPosts(url, bodies);
    if (answer === undefined) {
      this.pending.push(posts);
      return false;
    }
    for (const { id, title } of answer) {
      const post = posts.find((one) => one.title === title);
      if (post !== undefined) this.known.set(id, post);
    }
    this.acknowledged += 1;
    return true;
  }

  /** Creates posts in one request: alone, as an array, in a batch, or nested in a series. */
  private async sendPosts(
    url: string,
    bodies: readonly object[],
  ): Promise<readonly Made[] | undefined> {
    const kind = bodies.length === 1 ? 'one' : this.pick(['array', 'batch', 'nested'] as const);
    const operations = bodies.map((body) => ({ method: 'POST', path: '/posts', body }));
    const nested = { posts: { create: bodies } };
    const sent = {
      one: () => send(`${url}/v1/posts`, 'POST', bodies[0]),
      array: () => send(`${url}/v1/posts`, 'POST', bodies),
      batch: () => send(`${url}/v1/_batch`, 'POST', operations),
      nested: () => send(`${url}/v1/series?expand=posts`, 'POST', nested),
    };
    const answer = await sent[kind]();
    if (answer === undefined) return undefined;
    if (answer.status !== (kind === 'batch' ? 200 : 201)) throw new Error(answer.text);
    const body = JSON.parse(answer.text) as unknown;
    const made = {
      one: () => [body],
      array: () => body,
      batch: () => (body as readonly { readonly body: unknown }[]).map((each) => each.body),
      nested: () => (body as { readonly posts: unknown }).posts,
    };
    return made[kind]() as readonly Made[];
  }

  private pick<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[Math.floor(this.draw() * values.length)] ?? values[0];
  }

  private patchMany(url: string, ids: readonly number[]): Promise<boolean> {
    return this.changeMany(
      ids,
      (post) => ({ ...post, views: post.views + 1 }),
      () => send(`${url}/v1/posts?id_in=${ids.join()}`, 'PATCH', { views: { increment: 1 } }),
    );
  }

  private removeMany(url: string, ids: readonly number[]): Promise<boolean> {
    return this.changeMany(
      ids,
      () => undefined,
      () => send(`${url}/v1/posts?id_in=${ids.join()}`, 'DELETE'),
    );
  }

  private async changeMany(
    ids: readonly number[],
    changed: (post: Post) => State,
    write: () => Promise<Sent>,
  ): Promise<boolean> {
    const before = ids.flatMap((id) => this.known.get(id) ?? []);
    const answer = await write();
    if (answer !== undefined && answer.status !== 200) throw new Error(answer.text);
    for (const [index, id] of ids.entries()) {
      const post = before[index];
      if (post !== undefined) this.becomes(id, changed(post), answer !== undefined);
    }
    if (answer === undefined) this.together.push(ids);
    else this.acknowledged += 1;
    return answer !== undefined;
  }

  /** Notes a state of a post: for certain, or perhaps. */
  private becomes(id: number, state: State, isCertain: boolean): void {
    if (!isCertain) this.perhaps.set(id, state);
    else if (state === undefined) this.known.delete(id);
    else this.known.set(id, state);
  }

  private async patch(url: string, id: number): Promise<boolean> {
    const post = this.known.get(id);
    if (post === undefined) return true;
    const changed = { ...post, views: post.views + 1, tags: this.someTags() };
    return this.change(id, changed, () =>
      send(`${url}/v1/posts/${id}`, 'PATCH', {
        views: changed.views,
        tags: JSON.parse(changed.tags) as number[],
      }),
    );
  }

  private async remove(url: string, id: number): Promise<boolean> {
    return this.change(id, undefined, () => send(`${url}/v1/posts/${id}`, 'DELETE'));
  }

  private async change(id: number, state: State, write: () => Promise<Sent>): Promise<boolean> {
    const answer = await write();
    if (answer !== undefined && answer.status >= 300)
      throw new Error(`${id}: ${answer.status} ${answer.text}`);
    this.becomes(id, state, answer !== undefined);
    if (answer !== undefined) this.acknowledged += 1;
    return answer !== undefined;
  }

  /** In what the posts that are there differ from what they have to be; what was unclear is known afterwards. */
  differences(posts: ReadonlyMap<number, Post>): readonly string[] {
    const wrong: string[] = [];
    for (const ids of this.together) {
      const done = ids.filter((id) => isSame(posts.get(id), this.perhaps.get(id)));
      if (done.length > 0 && done.length < ids.length)
        wrong.push(`of ${ids.join()} only ${done.join()} changed`);
    }
    const titles = new Map([...posts].map(([id, { title }]) => [title, id]));
    for (const [id, post] of this.known) {
      const found = posts.get(id);
      const isKept = isSame(found, post);
      const isChanged = this.perhaps.has(id) && isSame(found, this.perhaps.get(id));
      if (!isKept && !isChanged)
        wrong.push(`${id} is ${JSON.stringify(found)}, and was ${JSON.stringify(post)}`);
      if (found === undefined) this.known.delete(id);
      else this.known.set(id, found);
    }
    for (const group of this.pending) {
      const there = group.filter(({ title }) => titles.has(title));
      if (there.length > 0 && there.length < group.length)
        wrong.push(`of ${JSON.stringify(group)} only ${JSON.stringify(there)} is there`);
      for (const post of there) {
        const id = titles.get(post.title) ?? 0;
        const found = posts.get(id);
        if (!isSame(found, post))
          wrong.push(`${id} is ${JSON.stringify(found)}, and was sent as ${JSON.stringify(post)}`);
        this.known.set(id, post);
      }
    }
    this.perhaps.clear();
    this.pending = [];
    this.together = [];
    for (const [id, post] of posts)
      if (!this.known.has(id))
        wrong.push(`${id} is ${JSON.stringify(post)}, which nobody has sent`);
    return wrong;
  }
}

function isSame(a: State, b: State): boolean {
  return a?.title === b?.title && a?.views === b?.views && a?.tags === b?.tags;
}

type Sent = { readonly status: number; readonly text: string } | undefined;

/** Sends a request; undefined where no whole answer came. */
async function send(url: string, method: string, body?: unknown): Promise<Sent> {
  try {
    const response = await fetch(url, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}
