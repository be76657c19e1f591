import { MultiSelect, NumberInput } from '@mantine/core';
import type { JSX } from 'react';

interface SortProps {
  readonly label: string;
  /** What records are sorted by here; what the URL asks for beside it is offered as well. */
  readonly sorts: readonly string[];
  readonly value: readonly string[];
  readonly changed: (sort: readonly string[]) => void;
}

/** What is sorted by, first to last. */
export function SortInput({ label, sorts, value, changed }: SortProps): JSX.Element {
  const names = new Set([...sorts, ...value.map((item) => item.replace(/^-/u, ''))]);
  // The URL may ask for what is none: `--title`. What a menu offers twice it does not show at all.
  const labels = new Map(
    [...names].flatMap((path) => [
      [path, `${path} ↑`] as const,
      [`-${path}`, `${path} ↓`] as const,
    ]),
  );
  return (
    <MultiSelect
      label={label}
      placeholder={value.length === 0 ? 'By id' : undefined}
      data={[...labels].map(([path, text]) => ({ value: path, label: text }))}
      value={[...new Set(value)]}
      onChange={changed}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Nothing in ${label}` }}
      // Wide enough for a path and its direction beside two buttons.
      style={{ flex: '1 1 220px', minWidth: 0 }}
    />
  );
}

interface CountProps {
  readonly label: string;
  /** What holds where nothing is written. */
  readonly usual: number | undefined;
  readonly max?: number;
  readonly value: number | undefined;
  readonly changed: (count: number | undefined) => void;
}

/** A number from 1 on. */
export function CountInput({ label, usual, max, value, changed }: CountProps): JSX.Element {
  return (
    <NumberInput
      label={label}
      placeholder={usual === undefined ? undefined : String(usual)}
      min={1}
      max={max}
      allowDecimal={false}
      value={value ?? ''}
      onChange={(count) => changed(typeof count === 'number' ? count : undefined)}
      w={110}
    />
  );
}
