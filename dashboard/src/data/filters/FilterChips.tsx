import { ListFilter, Plus } from 'lucide-react';
import { useState, type JSX } from 'react';
import { isGroup } from '../../../../src/query/filter/group.ts';
import type { Model, ResourceInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { collectionsIn, restrictedBy } from '../expansion.ts';
import { keyAt } from '../paths.ts';
import type { Condition, ListQuery } from '../query.ts';
import { useLabels } from '../record/labels.ts';
import { Chip } from './Chip.tsx';
import { newCondition } from './conditions.ts';
import { editors } from './editors/loaded.ts';
import { singleOf, type Part, type PartProps } from './parts.ts';
import { conditionWords, groupWords, keysOf, type Told } from './words.ts';

interface Props {
  readonly model: Model;
  readonly resource: ResourceInfo;
  readonly query: ListQuery;
  /** The path of a filter that is to be begun, as by the head of a column. */
  readonly begun: string | undefined;
  readonly ended: () => void;
  readonly changed: (change: Pick<ListQuery, 'conditions' | 'groups'>) => void;
}

/** What holds of the records: a chip for each condition and each group, and one to add another. */
export function FilterChips(props: Props): JSX.Element {
  const { model, resource, query, begun, ended, changed } = props;
  const { conditions, groups } = query;
  const [opened, setOpened] = useState<number | 'new' | 'group'>();
  const parts: readonly Part[] = [...conditions, ...groups];
  const path = begun ?? resource.filters.find(({ path }) => path !== 'id')?.path ?? 'id';
  const write = (next: readonly Part[]): void =>
    changed({
      conditions: next.flatMap((part) => (isGroup(part) ? [] : [part])),
      groups: next.flatMap((part) => (isGroup(part) ? [part] : [])),
    });
  const close = (): void => {
    setOpened(undefined);
    ended();
  };
  const shared = { model, resource, query };
  const told = useTold(parts, resource, model);
  return (
    <>
      {parts.map((part, index) => (
        <PartChip
          // oxlint-disable-next-line react/no-array-index-key -- filters have no other identity
          key={index}
          {...shared}
          part={part}
          told={told}
          called={isGroup(part) ? `group ${index - conditions.length + 1}` : `filter ${index + 1}`}
          isOpen={opened === index}
          setOpen={(isOpen) => setOpened(isOpen ? index : undefined)}
          written={(next) => {
            close();
            write(parts.flatMap((one, at) => (at === index ? (next ?? []) : [one])));
          }}
        />
      ))}
      {resource.filters.length === 0 ? null : (
        <Chip
          name="Add filter"
          label={parts.length === 0 ? 'Filter' : ''}
          icon={parts.length === 0 ? <ListFilter size={14} aria-hidden /> : <Plus size={14} />}
          isSet={false}
          isOpen={opened === 'new' || begun !== undefined}
          setOpen={(isOpen) => {
            if (isOpen) setOpened('new');
            else close();
          }}
        >
          <Editor
            key={path}
            {...shared}
            part={newCondition(path, resource, model)}
            called="the filter"
            written={(next) => {
              close();
              if (next !== undefined) write([...conditions, next, ...groups]);
            }}
          />
        </Chip>
      )}
    </>
  );
}

interface ChipProps extends PartProps {
  readonly told: Told;
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
}

/** The editor of a filter, which is loaded before its chip opens. */
function Editor(props: PartProps): JSX.Element | null {
  const { PartEditor } = editors() ?? {};
  return PartEditor === undefined ? null : <PartEditor {...props} />;
}

function PartChip(props: ChipProps): JSX.Element {
  const { model, resource, query, part, told, called, isOpen, setOpen, written } = props;
  const single = singleOf(part);
  const restricted =
    single === undefined
      ? undefined
      : restrictedBy(single.path, collectionsIn(query.expand, resource, model));
  const words = isGroup(part) ? groupWords(part, model, told) : conditionWords(part, model, told);
  const label =
    restricted === undefined
      ? words
      : isGroup(part)
        ? `records with ${words}`
        : `only items with ${words}`;
  return (
    <Chip
      name={`${called}: ${label}`}
      label={label}
      isSet
      isOpen={isOpen}
      setOpen={setOpen}
      remove={() => written(undefined)}
    >
      <Editor {...props} />
    </Chip>
  );
}

/** What the records are called whose keys stand in filters. Those of the list itself keep their ids. */
function useTold(parts: readonly Part[], resource: ResourceInfo, model: Model): Told {
  const keys = parts.flatMap(conditionsIn).flatMap((condition) => {
    const values = keysOf(condition);
    const key = values.length === 0 ? undefined : keyAt(condition.path, resource, model);
    return key === undefined || condition.path === 'id'
      ? []
      : [{ ...key, path: condition.path, values }];
  });
  const labels = useLabels(keys, model);
  return (path) => {
    const key = keys.find((one) => one.path === path);
    return key && { called: key.called, label: (value) => labels(key.reference, value) };
  };
}

function conditionsIn(part: Part): readonly Condition[] {
  return isGroup(part) ? part.parts.flatMap(conditionsIn) : [part];
}
