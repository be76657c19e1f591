import { ArrowUpDown } from 'lucide-react';
import { useState, type JSX } from 'react';
import { Chip } from './Chip.tsx';
import { editors } from './editors/loaded.ts';
import type { ListOrderProps } from './editors/SortEditor.tsx';

/** The order of the list. */
export function SortChip(props: ListOrderProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { ListOrderEditor } = editors() ?? {};
  const { value, nulls, changed } = props;
  const label = [
    ...value.map((item) => `${item.replace(/^-/u, '')} ${item.startsWith('-') ? '↓' : '↑'}`),
    ...(nulls === undefined ? [] : [`nulls ${nulls}`]),
  ].join(', ');
  return (
    <Chip
      name={label === '' ? 'Sort' : `Sort: ${label}`}
      label={label === '' ? 'Sort' : label}
      icon={<ArrowUpDown size={14} aria-hidden />}
      isSet={label !== ''}
      isOpen={isOpen}
      setOpen={setOpen}
      remove={label === '' ? undefined : () => changed({ sort: [], nulls: undefined })}
    >
      {ListOrderEditor === undefined ? null : (
        <ListOrderEditor {...props} done={() => setOpen(false)} />
      )}
    </Chip>
  );
}
