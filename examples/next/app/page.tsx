import type { ReactNode } from 'react';
import { api } from '../server';

// Read at each request, in the process of the API.
export const dynamic = 'force-dynamic';

interface Book {
  readonly id: number;
  readonly title: string;
  readonly author: { readonly name: string };
}

export default async function Page(): Promise<ReactNode> {
  const request = new Request('http://localhost/v1/books?expand=author&sort=title&limit=5');
  const books = (await (await (await api()).fetch(request)).json()) as readonly Book[];
  return (
    <ul>
      {books.map(({ id, title, author }) => (
        <li key={id}>
          {title}, {author.name}
        </li>
      ))}
    </ul>
  );
}
