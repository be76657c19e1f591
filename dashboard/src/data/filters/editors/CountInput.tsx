import { NumberInput } from '@mantine/core';
import type { JSX } from 'react';

interface CountProps {
  readonly label: string;
  readonly text?: string;
  /** What holds where nothing is written. */
  readonly usual?: number;
  readonly max?: number;
  readonly value: number | undefined;
  readonly changed: (count: number | undefined) => void;
}

/** A number from 1 on. */
export function CountInput(props: CountProps): JSX.Element {
  const { label, text, usual, max, value, changed } = props;
  return (
    <NumberInput
      aria-label={label}
      label={text}
      placeholder={usual === undefined ? 'All' : String(usual)}
      min={1}
      max={max}
      allowDecimal={false}
      value={value ?? ''}
      onChange={(count) => changed(typeof count === 'number' ? count : undefined)}
    />
  );
}
