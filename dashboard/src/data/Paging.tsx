import { Button, Pagination } from '@mantine/core';
import type { JSX } from 'react';
import type { ApiAnswer } from '../api.ts';

interface Props {
  readonly answer: ApiAnswer;
  readonly page: number;
  /** Whether a cursor has led here. */
  readonly isBehind: boolean;
  readonly turned: (page: number) => void;
  /** An empty one leads to the first page. */
  readonly followed: (cursor: string) => void;
}

/** Leads from page to page where the URL asks for pages. */
export function Paging(props: Props): JSX.Element | null {
  const { answer, page, isBehind, turned, followed } = props;
  const pages = Number(answer.headers.get('x-total-pages') ?? 0);
  const cursor = answer.headers.get('x-next-cursor') ?? '';
  if (pages > 1)
    return (
      <Pagination
        size="xs"
        total={pages}
        value={page}
        onChange={turned}
        getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
      />
    );
  if (pages > 0) return null;
  return (
    <>
      {isBehind ? (
        <Button variant="default" size="xs" onClick={() => followed('')}>
          First page
        </Button>
      ) : null}
      {cursor === '' ? null : (
        <Button variant="default" size="xs" onClick={() => followed(cursor)}>
          Next page
        </Button>
      )}
    </>
  );
}
