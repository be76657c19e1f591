import { Autocomplete, Text, type AutocompleteProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type JSX } from 'react';
import type { Model, ResourceInfo, ValueInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { ask } from '../../api.ts';
import { visible } from '../../words.ts';
import { labelBy, labelFields } from './label-fields.ts';
import { useLabels } from './labels.ts';
import { recordsOf } from '../grid/records.ts';

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

/** Records of a resource by their keys, with what they are called: those that fit what is typed. */
export function useFound(
  model: Model,
  reference: ValueInfo['reference'],
  typed?: string,
): {
  readonly titles: ReadonlyMap<string, string>;
  readonly search: (text: string) => void;
  readonly open: () => void;
  readonly close: () => void;
} {
  const [isOpen, setOpen] = useState(false);
  const [own, setOwn] = useState('');
  const [search] = useDebouncedValue(typed ?? own, typingPause);
  const target = model.resources.find(({ name }) => name === reference?.resource);
  const told = target === undefined ? [] : labelFields(target);
  const searched = target === undefined ? undefined : titleOf(target);
  const key = reference?.field ?? 'id';
  const { data } = useQuery({
    queryKey: ['pick', model.path, target?.name, key, search],
    queryFn: async () => {
      const url = `${model.path}/${target?.name ?? ''}?page=1&limit=${Math.min(offered, model.limits.maxLimit)}`;
      const fields = [...new Set([key, ...told])].join(',');
      const filter =
        searched === undefined || search === ''
          ? ''
          : `&${encodeURIComponent(searched)}_ilike=${encodeURIComponent(search)}`;
      const { body } = await ask(`${url}&fields=${encodeURIComponent(fields)}${filter}`);
      return recordsOf(body);
    },
    enabled: isOpen && target?.operations.includes('read') === true,
    staleTime: 5_000,
  });
  return {
    titles: new Map((data ?? []).map((record) => [String(record[key]), labelBy(told, record)])),
    search: setOwn,
    open: () => setOpen(true),
    close: () => setOpen(false),
  };
}

/** A key of another resource: written, or chosen among records that are found by what they are called. */
export function RecordPicker(props: Props): JSX.Element {
  const { model, reference, value, changed, isNamed = false, ...rest } = props;
  const { titles, open, close } = useFound(model, reference, value);
  const [settled] = useDebouncedValue(value, typingPause);
  const keys = isNamed && settled === value && value !== '' ? [value] : [];
  const label = useLabels([{ reference, values: keys }], model)(reference, value);
  return (
    <Autocomplete
      {...rest}
      value={value}
      onChange={changed}
      data={[...titles.keys()]}
      // The server has searched already.
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <Text size="sm" truncate>
          {visible(option.value)} <span className="quiet">{titles.get(option.value)}</span>
        </Text>
      )}
      {...(label === undefined
        ? {}
        : {
            rightSection: <span className="picked">{label}</span>,
            rightSectionWidth: value.length > shortKey ? '30%' : '70%',
            rightSectionPointerEvents: 'none',
          })}
      onDropdownOpen={open}
      onDropdownClose={close}
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
