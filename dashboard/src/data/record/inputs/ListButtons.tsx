import { ActionIcon, Button, Group } from '@mantine/core';
import { X } from 'lucide-react';
import type { JSX, ReactNode } from 'react';

interface RemoveProps {
  /** Whose removal it is, for who cannot see where it stands. */
  readonly label: string;
  readonly run: () => void;
}

/** Takes away what stands left of it. */
export function RemoveButton({ label, run }: RemoveProps): JSX.Element {
  return (
    <ActionIcon variant="default" size={32} aria-label={label} onClick={run}>
      <X size={14} aria-hidden />
    </ActionIcon>
  );
}

/** An input of a list, with the button that takes it away; the button is as far down as the input below its label and hint. */
export function Removable({
  label,
  run,
  children,
}: RemoveProps & { readonly children: ReactNode }): JSX.Element {
  return (
    <Group wrap="nowrap" align="start" gap={6}>
      <div style={{ flex: 1, minWidth: 0 }}>{children}</div>
      <div style={{ marginTop: 40 }}>
        <RemoveButton label={label} run={run} />
      </div>
    </Group>
  );
}

interface AddProps {
  readonly label: string;
  readonly text: string;
  readonly run: () => void;
}

/** Puts one more at the end of a list. */
export function AddButton({ label, text, run }: AddProps): JSX.Element {
  return (
    <Group>
      <Button size="compact-sm" variant="default" aria-label={label} onClick={run}>
        {text}
      </Button>
    </Group>
  );
}
