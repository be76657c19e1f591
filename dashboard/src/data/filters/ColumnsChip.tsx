import { Columns3 } from 'lucide-react';
import { useState, type JSX } from 'react';
import { Chip } from './Chip.tsx';
import type { ColumnsProps } from './editors/ColumnsEditor.tsx';
import { editors } from './editors/loaded.ts';

/** Which columns are shown, and which fields are asked for at all. */
export function ColumnsChip(props: ColumnsProps): JSX.Element {
  const { names, arrangement, fields, exclude, changed } = props;
  const [isOpen, setOpen] = useState(false);
  const { ColumnsEditor } = editors() ?? {};
  const { hidden } = arrangement;
  const left = names.filter((name) => name !== 'id' && hidden.includes(name)).length;
  const isChosen = fields.length + exclude.length > 0;
  const label = [
    ...(left === 0 ? [] : [`${left} hidden`]),
    ...(fields.length === 0 ? [] : [`only ${fields.join(', ')}`]),
    ...(exclude.length === 0 ? [] : [`without ${exclude.join(', ')}`]),
  ].join(', ');
  return (
    <Chip
      name={label === '' ? 'Columns' : `Columns: ${label}`}
      label={label === '' ? 'Columns' : label}
      icon={<Columns3 size={14} aria-hidden />}
      isSet={label !== ''}
      isOpen={isOpen}
      setOpen={setOpen}
      remove={isChosen ? () => changed({ fields: [], exclude: [] }) : undefined}
    >
      {ColumnsEditor === undefined ? null : <ColumnsEditor {...props} />}
    </Chip>
  );
}
