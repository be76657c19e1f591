import { ActionIcon, Button, Group, Select, SegmentedControl, Stack, Text } from '@mantine/core';
import { ArrowDown, ArrowUp, ChevronDown, ChevronUp, X } from 'lucide-react';
import type { JSX } from 'react';
import type { ListQuery } from '../../query.ts';

interface SortProps {
  readonly label: string;
  /** What records are sorted by here. */
  readonly sorts: readonly string[];
  readonly value: readonly string[];
  readonly changed: (sort: readonly string[]) => void;
}

/** What is sorted by, first to last: each path once, in one direction. */
export function SortEditor({ label, sorts, value, changed }: SortProps): JSX.Element {
  const keys = value.map((item) => ({
    path: item.replace(/^-/u, ''),
    isDescending: item.startsWith('-'),
  }));
  const write = (next: readonly (typeof keys)[number][]): void =>
    changed(next.map(({ path, isDescending }) => (isDescending ? `-${path}` : path)));
  const left = sorts.filter((path) => keys.every((key) => key.path !== path));
  return (
    <Stack gap={8} role="group" aria-label={label}>
      {keys.map(({ path, isDescending }, index) => (
        <Group key={path} gap={4} wrap="nowrap">
          <Text size="sm" className="name" style={{ flex: 1 }}>
            {path}
          </Text>
          <SegmentedControl
            aria-label={`Direction of ${path}`}
            value={isDescending ? 'desc' : 'asc'}
            data={[
              { value: 'asc', label: <Direction Icon={ArrowUp} text="ascending" /> },
              { value: 'desc', label: <Direction Icon={ArrowDown} text="descending" /> },
            ]}
            onChange={(next) =>
              write(
                keys.map((one, at) =>
                  at === index ? { path, isDescending: next === 'desc' } : one,
                ),
              )
            }
          />
          {keys.length < 2 ? null : (
            <ActionIcon
              aria-label={`Sort by ${path} ${index === 0 ? 'later' : 'sooner'}`}
              onClick={() => {
                const other = index === 0 ? 1 : index - 1;
                const next = [...keys];
                [next[index], next[other]] = [next[other] ?? keys[0], next[index] ?? keys[0]].map(
                  (one) => one ?? { path, isDescending },
                ) as [(typeof keys)[number], (typeof keys)[number]];
                write(next);
              }}
            >
              {index === 0 ? <ChevronDown size={14} /> : <ChevronUp size={14} />}
            </ActionIcon>
          )}
          <ActionIcon
            aria-label={`Do not sort by ${path}`}
            onClick={() => write(keys.filter((one) => one.path !== path))}
          >
            <X size={14} />
          </ActionIcon>
        </Group>
      ))}
      <Select
        aria-label={`Add to ${label}`}
        placeholder={keys.length === 0 ? 'Sort by…' : 'Then by…'}
        data={left}
        value={null}
        onChange={(path) => {
          if (path !== null) write([...keys, { path, isDescending: false }]);
        }}
        searchable
      />
    </Stack>
  );
}

function Direction({ Icon, text }: { Icon: typeof ArrowUp; text: string }): JSX.Element {
  return (
    <span className="direction">
      <Icon size={13} aria-hidden />
      <span className="hidden">{text}</span>
    </span>
  );
}

export interface ListOrderProps extends Omit<SortProps, 'label' | 'changed'> {
  readonly nulls: string | undefined;
  readonly changed: (change: Partial<Pick<ListQuery, 'sort' | 'nulls'>>) => void;
}

/** The order of the list, and where nulls stand in it. */
export function ListOrderEditor({
  nulls,
  changed,
  done,
  ...props
}: ListOrderProps & { readonly done: () => void }): JSX.Element {
  return (
    <Stack gap={10}>
      <SortEditor label="Sort" {...props} changed={(sort) => changed({ sort })} />
      <Group justify="space-between">
        <Text size="sm">Nulls</Text>
        <SegmentedControl
          aria-label="Nulls"
          value={nulls ?? 'lowest'}
          data={['lowest', 'first', 'last']}
          onChange={(next) => changed({ nulls: next === 'lowest' ? undefined : next })}
        />
      </Group>
      <Button size="xs" variant="default" onClick={done}>
        Done
      </Button>
    </Stack>
  );
}
