import { ActionIcon, Button, NativeSelect, SegmentedControl, Title, Tooltip } from '@mantine/core';
import { FileUp, Plus, Undo2 } from 'lucide-react';
import type { JSX } from 'react';
import type { Model, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { visible } from '../words.ts';
import type { Changes } from './write/changes.ts';
import { ExportMenu, type ExportFormat } from './write/ExportMenu.tsx';

/** Shows as: the grid, the answer as it came, or groups. */
export type Shape = 'grid' | 'json' | 'groups';

interface Props {
  readonly model: Model;
  readonly resource: ResourceInfo;
  readonly toVersion: (version: string) => void;
  readonly shape: Shape;
  readonly setShape: (shape: Shape) => void;
  /** Undefined: the caller may not. */
  readonly undo: Pick<Changes, 'last' | 'undo'> | undefined;
  readonly importFile: (() => void) | undefined;
  readonly exportAs: ((format: ExportFormat) => void) | undefined;
  readonly create: (() => void) | undefined;
}

/** The name of the resource, and what can be done with all of it. */
export function DataHead(props: Props): JSX.Element {
  const { model, resource, toVersion, shape, setShape, undo, importFile, exportAs, create } = props;
  const last = undo?.last;
  return (
    <header className="data-head">
      <div className="name">
        <Title order={1} className="name">
          {resource.name}
        </Title>
        {resource.description === null ? null : (
          <span className="quiet small name">{visible(resource.description)}</span>
        )}
      </div>
      <SegmentedControl
        data={[
          { value: 'grid', label: 'Grid' },
          { value: 'json', label: 'JSON' },
          { value: 'groups', label: 'Summary' },
        ]}
        value={shape}
        onChange={setShape}
        aria-label="Show as"
      />
      <span className="gap" />
      {model.versions.length > 1 ? (
        <NativeSelect
          size="xs"
          aria-label="Version"
          data={model.versions.map((one) => ({ value: String(one), label: `v${one}` }))}
          value={String(model.version)}
          onChange={(event) => toVersion(event.currentTarget.value)}
          w={76}
        />
      ) : null}
      {undo === undefined ? null : (
        <Tooltip label={last === undefined ? 'Nothing to undo' : `Undo: ${last.words}`}>
          <ActionIcon
            size={28}
            aria-label="Undo"
            aria-disabled={last === undefined}
            data-disabled={last === undefined || undefined}
            onClick={() => void undo.undo()}
          >
            <Undo2 size={15} />
          </ActionIcon>
        </Tooltip>
      )}
      {importFile === undefined ? null : (
        <Button
          size="xs"
          variant="default"
          leftSection={<FileUp size={14} aria-hidden />}
          onClick={importFile}
        >
          Import
        </Button>
      )}
      {exportAs === undefined ? null : <ExportMenu label="Export" exportAs={exportAs} />}
      {create === undefined ? null : (
        <Button size="xs" leftSection={<Plus size={14} aria-hidden />} onClick={create}>
          New record
        </Button>
      )}
    </header>
  );
}
