import { ArrowUpDown } from 'lucide-react';
import { useState, type JSX } from 'react';
import { Chip } from './Chip.tsx';
import { editors } from './loaded.ts';
import type { ListOrderProps } from './SortEditor.tsx';

/** The order of the list. */
export function SortChip(props: ListOrderProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { ListOrderEditor } = editors() ?? {};
  const { value, changed } = props;
  const label = value
    .map((item) => `${item.replace(/^-/u, '')} ${item.startsWith('-') ? '↓' : '↑'}`)
    .join(', ');
  return (
    <Chip
      name={value.length === 0 ? 'Sort' : `Sort: ${label}`}
      label={value.length === 0 ? 'Sort' : label}
      icon={<ArrowUpDown size={14} aria-hidden />}
      isSet={value.length > 0}
      isOpen={isOpen}
      setOpen={setOpen}
      remove={value.length === 0 ? undefined : () => changed([])}
    >
      {ListOrderEditor === undefined ? null : (
        <ListOrderEditor {...props} done={() => setOpen(false)} />
      )}
    </Chip>
  );
}
