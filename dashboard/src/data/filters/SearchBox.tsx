import { TextInput } from '@mantine/core';
import { Search } from 'lucide-react';
import { useEffect, type JSX } from 'react';
import { useEdited } from '../../edited.ts';

interface Props {
  readonly value: string;
  readonly changed: (words: string) => void;
}

/** In ms. */
const typingPause = 300;

/** Finds records that contain the words; what is typed counts after a pause, or with Enter. */
export function SearchBox({ value, changed }: Props): JSX.Element {
  const [text, setText] = useEdited(value);
  useEffect(() => {
    if (text.trim() === value) return undefined;
    const timer = setTimeout(() => changed(text.trim()), typingPause);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react/exhaustive-deps -- the pause begins with what is typed
  }, [text, value]);
  return (
    <TextInput
      type="search"
      size="xs"
      className="search"
      aria-label="Search records"
      placeholder="Search"
      leftSection={<Search size={14} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') changed(text.trim());
      }}
    />
  );
}
