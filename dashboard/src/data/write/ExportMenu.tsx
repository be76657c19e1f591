import { Button, Menu } from '@mantine/core';
import { ChevronDown, Download } from 'lucide-react';
import type { JSX } from 'react';

export const exportFormats = ['csv', 'ndjson', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

interface ExportProps {
  readonly label: string;
  readonly exportAs: (format: ExportFormat) => void;
  readonly position?: 'top-end' | 'bottom-end';
}

export function ExportMenu({ label, exportAs, position = 'bottom-end' }: ExportProps): JSX.Element {
  return (
    <Menu position={position}>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<Download size={14} aria-hidden />}
          rightSection={<ChevronDown size={13} aria-hidden />}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {exportFormats.map((format) => (
          <Menu.Item key={format} onClick={() => exportAs(format)}>
            As {format === 'ndjson' ? 'NDJSON' : format.toUpperCase()}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
