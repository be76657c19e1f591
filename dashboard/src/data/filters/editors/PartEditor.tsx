import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useState, type JSX } from 'react';
import { isGroup } from '../../../../../src/query/filter/group.ts';
import type { Model, ResourceInfo } from '../../../../../src/http/dashboard/wire-model.ts';
import { collectionsIn, restrictedBy } from '../../expansion.ts';
import { leafAt } from '../../paths.ts';
import type { Condition } from '../../query.ts';
import { ConditionEditor } from './ConditionEditor.tsx';
import { newCondition, operandOf } from '../conditions.ts';
import { GroupEditor } from './GroupEditor.tsx';
import { singleOf, type Part, type PartProps } from '../parts.ts';

/** Writes a filter, which holds once it is applied: until then the list stays as it is. */
export function PartEditor({
  model,
  resource,
  query,
  part,
  called,
  written,
}: PartProps): JSX.Element {
  const [draft, setDraft] = useState(part);
  const single = singleOf(draft);
  const collections = collectionsIn(query.expand, resource, model);
  const restricted = single === undefined ? undefined : restrictedBy(single.path, collections);
  /** Conditions inside a group always filter records, never the items of a relation. */
  const isOfRecords = isGroup(draft);
  const setSingle = (next: Condition, ofRecords: boolean): void =>
    setDraft(ofRecords ? { kind: 'and', parts: [next] } : next);
  const isWhole = isFilledIn(draft, resource, model);
  const isNew = called === 'the filter';
  const setCondition = (next: Condition): void => {
    const isRestricted = restrictedBy(next.path, collections) !== undefined;
    const wasRestricted = restricted !== undefined;
    setSingle(next, isRestricted && (isOfRecords || (isNew && !wasRestricted)));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole) written(normal(draft, restricted !== undefined));
      }}
    >
      <Stack gap={10}>
        {single === undefined ? (
          <GroupEditor
            group={isGroup(draft) ? draft : { kind: 'and', parts: [draft] }}
            model={model}
            resource={resource}
            called={called}
            changed={setDraft}
          />
        ) : (
          <ConditionEditor
            condition={single}
            model={model}
            resource={resource}
            called={called}
            changed={setCondition}
          />
        )}
        {restricted === undefined || single === undefined ? null : (
          <Radio.Group
            aria-label={`What ${called} is about`}
            value={isOfRecords ? 'records' : 'items'}
            onChange={(next) => setSingle(single, next === 'records')}
          >
            <Stack gap={4}>
              <Radio
                size="xs"
                value="records"
                label={`Only ${resource.name} with such a record in ${restricted.path}`}
              />
              <Radio
                size="xs"
                value="items"
                label={`All ${resource.name}, with only such records in ${restricted.path}`}
              />
            </Stack>
          </Radio.Group>
        )}
        {isWhole ? null : (
          <Text size="xs" c="dimmed">
            The list stays as it is until there is a value.
          </Text>
        )}
        <Group justify="space-between" gap={8}>
          <Group gap={6}>
            <Button type="submit" size="xs" disabled={!isWhole}>
              Apply
            </Button>
            {isNew ? null : (
              <Button size="xs" variant="default" onClick={() => written(undefined)}>
                Remove
              </Button>
            )}
          </Group>
          {single !== undefined && !isGroup(draft) ? (
            <Button
              size="xs"
              variant="subtle"
              color="gray"
              onClick={() =>
                setDraft({
                  kind: 'or',
                  parts: [single, newCondition(single.path, resource, model)],
                })
              }
            >
              Or…
            </Button>
          ) : null}
        </Group>
      </Stack>
    </form>
  );
}

/** A group that is no more than a condition is one, unless it is to stay a filter of the records. */
function normal(part: Part, isKept: boolean): Part | undefined {
  if (isGroup(part) && part.parts.length === 0) return undefined;
  const single = singleOf(part);
  return single !== undefined && !isKept ? single : part;
}

/** Types that take an empty text for a value, or may. */
const takeEmpty: ReadonlySet<string> = new Set(['string', 'text', 'email', 'url', 'array', 'json']);

/** Whether every condition has a value where it needs one, so that the list would not only be refused. */
function isFilledIn(part: Part, resource: ResourceInfo, model: Model): boolean {
  if (isGroup(part)) return part.parts.every((one) => isFilledIn(one, resource, model));
  if (part.value !== '') return true;
  const leaf = leafAt(part.path, resource, model);
  const takes = takeEmpty.has(leaf?.type ?? 'json') && (leaf?.values ?? null) === null;
  return operandOf(part.operator, model) === 'value' && takes;
}
