import { ActionIcon, Button, Group, Select, Stack } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import type { JSX } from 'react';
import { isGroup, type GroupKind } from '../../../../../src/query/filter/group.ts';
import type { Model, ResourceInfo } from '../../../../../src/http/dashboard/wire-model.ts';
import type { Condition, FilterGroup } from '../../query.ts';
import { ConditionEditor } from './ConditionEditor.tsx';
import { newCondition } from '../conditions.ts';

/** How the parts of a group hold together, in words. */
export const kindWords: Readonly<Record<GroupKind, string>> = {
  or: 'At least one of these',
  and: 'All of these',
  not: 'None of these',
};

interface Props {
  readonly group: FilterGroup;
  readonly model: Model;
  readonly resource: ResourceInfo;
  readonly called: string;
  /** How many groups it is in. */
  readonly depth?: number;
  readonly changed: (group: FilterGroup) => void;
}

/** See docs/contract/2-reading.md#groups, rule 9. */
const deepest = 5;

/** A group of conditions and of further groups. */
export function GroupEditor(props: Props): JSX.Element {
  const { group, model, resource, called, depth = 1, changed } = props;
  const { kind, parts } = group;
  const path = resource.filters[0]?.path ?? 'id';
  const replace = (index: number, next: Condition | FilterGroup | undefined): void =>
    changed({ kind, parts: parts.flatMap((part, at) => (at === index ? (next ?? []) : [part])) });
  const add = (part: Condition | FilterGroup): void => changed({ kind, parts: [...parts, part] });
  return (
    <Stack gap={8} role="group" aria-label={called} className={depth > 1 ? 'nested' : undefined}>
      <Select
        aria-label={`Kind of ${called}`}
        data={(['or', 'and', 'not'] as const).map((one) => ({ value: one, label: kindWords[one] }))}
        value={kind}
        onChange={(next) => changed({ kind: next ?? kind, parts })}
        allowDeselect={false}
      />
      {parts.map((part, index) => {
        const name = `${isGroup(part) ? 'group' : 'condition'} ${index + 1} of ${called}`;
        return (
          // oxlint-disable-next-line react/no-array-index-key -- the parts have no other identity
          <Group key={index} wrap="nowrap" align="start" gap={4} className="part">
            <div style={{ flex: 1, minWidth: 0 }}>
              {isGroup(part) ? (
                <GroupEditor
                  {...props}
                  group={part}
                  called={name}
                  depth={depth + 1}
                  changed={(next) => replace(index, next)}
                />
              ) : (
                <ConditionEditor
                  condition={part}
                  model={model}
                  resource={resource}
                  called={name}
                  changed={(next) => replace(index, next)}
                />
              )}
            </div>
            <ActionIcon aria-label={`Remove ${name}`} onClick={() => replace(index, undefined)}>
              <X size={14} />
            </ActionIcon>
          </Group>
        );
      })}
      <Group gap={6}>
        <Button
          size="xs"
          variant="default"
          leftSection={<Plus size={14} />}
          aria-label={`Add condition to ${called}`}
          onClick={() => add(newCondition(path, resource, model))}
        >
          Condition
        </Button>
        {depth < deepest ? (
          <Button
            size="xs"
            variant="default"
            leftSection={<Plus size={14} />}
            aria-label={`Add group to ${called}`}
            onClick={() => add({ kind: 'and', parts: [newCondition(path, resource, model)] })}
          >
            Group
          </Button>
        ) : null}
      </Group>
    </Stack>
  );
}
