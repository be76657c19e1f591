import { useState } from 'react';

/** A text that is being edited: it begins anew when what it was made from changes. */
export function useEdited(
  value: string,
  origin = value,
): readonly [string, (text: string) => void] {
  const [edited, setEdited] = useState({ origin, text: value });
  const isOver = edited.origin !== origin;
  if (isOver) setEdited({ origin, text: value });
  return [isOver ? value : edited.text, (text) => setEdited({ origin, text })];
}
