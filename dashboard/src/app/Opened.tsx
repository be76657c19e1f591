import type { JSX } from 'react';
import { openedId } from '../styles/theme.ts';

/** Where menus, dialogs and hints of the component library are drawn. It is the last element of `main`. */
export function Opened(): JSX.Element {
  return <div id={openedId} className="opened" />;
}
