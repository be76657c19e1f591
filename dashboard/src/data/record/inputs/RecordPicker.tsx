import { Autocomplete, Text, type AutocompleteProps, type ComboboxItem } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type JSX } from 'react';
import type {
  Model,
  ResourceInfo,
  ValueInfo,
} from '../../../../../src/http/dashboard/wire-model.ts';
import { ask } from '../../../api.ts';
import { visible } from '../../../words.ts';
import { labelBy, labelFields } from '../label-fields.ts';
import { useLabels } from '../labels.ts';
import { recordsOf } from '../../grid/records.ts';

interface Props extends Omit<AutocompleteProps, 'data' | 'value' | 'onChange'> {
  readonly model: Model;
  readonly reference: NonNullable<ValueInfo['reference']>;
  readonly value: string;
  readonly changed: (text: string) => void;
  /** Whether the input has room for what the chosen record is called. */
  readonly isNamed?: boolean;
}

const offered = 20;
const typingPause = 200;
/** A longer key leaves less room beside it. */
const shortKey = 12;

/** Records of a resource by their keys, with what they are called: the first ones, or those that fit what is typed. */
export function useFound(
  model: Model,
  reference: ValueInfo['reference'],
): {
  readonly titles: ReadonlyMap<string, string>;
  /** Whether the list waits for what was typed last. It is empty then: what fitted before is no choice. */
  readonly isSearching: boolean;
  readonly search: (text: string) => void;
  readonly open: () => void;
  readonly close: () => void;
} {
  const [isOpen, setOpen] = useState(false);
  const [typed, search] = useState('');
  const [settled] = useDebouncedValue(typed, typingPause);
  const target = model.resources.find(({ name }) => name === reference?.resource);
  const told = target === undefined ? [] : labelFields(target);
  const searched = target === undefined ? undefined : titleOf(target);
  const key = reference?.field ?? 'id';
  const isEnabled = isOpen && target?.operations.includes('read') === true;
  const { data, isPending } = useQuery({
    queryKey: ['pick', model.path, target?.name, key, settled],
    queryFn: async () => {
      const url = `${model.path}/${target?.name ?? ''}?page=1&limit=${Math.min(offered, model.limits.maxLimit)}`;
      const fields = [...new Set([key, ...told])].join(',');
      const filter =
        searched === undefined || settled === ''
          ? ''
          : `&${encodeURIComponent(searched)}_ilike=${encodeURIComponent(settled)}`;
      const { body } = await ask(`${url}&fields=${encodeURIComponent(fields)}${filter}`);
      return recordsOf(body);
    },
    enabled: isEnabled,
    staleTime: 5_000,
  });
  const isSearching = isEnabled && (isPending || typed !== settled);
  const found = isSearching ? [] : (data ?? []);
  return {
    titles: new Map(found.map((record) => [String(record[key]), labelBy(told, record)])),
    isSearching,
    search,
    open: () => setOpen(true),
    close: () => {
      setOpen(false);
      // The field holds a key when it opens again. A key is not searched for.
      search('');
    },
  };
}

/** The choices of a list of records; while it searches, one that cannot be taken and says so. */
export function choicesOf({
  titles,
  isSearching,
}: Pick<ReturnType<typeof useFound>, 'titles' | 'isSearching'>): ComboboxItem[] {
  return isSearching
    ? [{ value: '', label: '', disabled: true }]
    : [...titles.keys()].map((value) => ({ value, label: value }));
}

/** A choice of a list of records: its key, and what it is called. */
export function Choice(props: {
  readonly value: string;
  readonly title: string | undefined;
}): JSX.Element {
  const { value, title } = props;
  return (
    <Text size="sm" truncate>
      {value === '' ? (
        <span className="quiet">Searching…</span>
      ) : (
        <>
          {visible(value)} <span className="quiet">{title}</span>
        </>
      )}
    </Text>
  );
}

/** A key of another resource: written, or chosen among records that are found by what they are called. */
export function RecordPicker(props: Props): JSX.Element {
  const { model, reference, value, changed, isNamed = false, ...rest } = props;
  const found = useFound(model, reference);
  const [settled] = useDebouncedValue(value, typingPause);
  const keys = isNamed && settled === value && value !== '' ? [value] : [];
  const label = useLabels([{ reference, values: keys }], model)(reference, value);
  return (
    <Autocomplete
      {...rest}
      value={value}
      onChange={(text) => {
        changed(text);
        found.search(text);
      }}
      data={choicesOf(found)}
      // The server has searched already.
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <Choice value={option.value} title={found.titles.get(option.value)} />
      )}
      {...(label === undefined
        ? {}
        : {
            rightSection: <span className="picked">{label}</span>,
            rightSectionWidth: value.length > shortKey ? '30%' : '70%',
            rightSectionPointerEvents: 'none',
          })}
      onDropdownOpen={found.open}
      onDropdownClose={found.close}
      autoComplete="off"
    />
  );
}

/** The field that says best what a record is, if it can be searched. */
export function titleOf(resource: ResourceInfo): string | undefined {
  const { fields, filters } = resource;
  const texts = fields.filter(
    ({ name, isReadable, type }) =>
      isReadable &&
      (type === 'string' || type === 'email') &&
      filters.some(({ path, operators }) => path === name && operators.includes('ilike')),
  );
  const best = labelFields(resource).find((name) => texts.some((field) => field.name === name));
  return best ?? texts[0]?.name;
}
