import { Rows3 } from 'lucide-react';
import { useState, type JSX } from 'react';
import { Chip } from './Chip.tsx';
import { editors } from './editors/loaded.ts';

interface Props {
  readonly value: number | undefined;
  readonly max: number;
  readonly changed: (limit: number | undefined) => void;
}

/** How many records a page has; without one all of them are scrolled through. */
export function PageChip({ value, max, changed }: Props): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { CountInput } = editors() ?? {};
  return (
    <Chip
      name={value === undefined ? 'Page size' : `Page size: ${value} a page`}
      label={value === undefined ? 'Page size' : `${value} a page`}
      icon={<Rows3 size={14} aria-hidden />}
      isSet={value !== undefined}
      isOpen={isOpen}
      setOpen={setOpen}
      remove={value === undefined ? undefined : () => changed(undefined)}
      width={240}
    >
      {CountInput === undefined ? null : (
        <CountInput label="Limit" text="Records a page" max={max} value={value} changed={changed} />
      )}
      <p className="quiet small">Without a number the grid scrolls through all records.</p>
    </Chip>
  );
}
