import { Autocomplete, Text, type AutocompleteProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type JSX } from 'react';
import type { Model, ResourceInfo, ValueInfo } from '../../../src/http/dashboard/wire-model.ts';
import { ask } from '../api.ts';
import { brief, shown, visible } from '../words.ts';
import { recordsOf } from './records.ts';
import { usualNames } from './related.ts';

interface Props extends Omit<AutocompleteProps, 'data' | 'value' | 'onChange'> {
  readonly model: Model;
  readonly reference: NonNullable<ValueInfo['reference']>;
  readonly value: string;
  readonly changed: (text: string) => void;
}

const offered = 20;
const typingPause = 200;

/** A key of another resource: written, or chosen among records that are found by what they are called. */
export function RecordPicker({ model, reference, value, changed, ...rest }: Props): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [search] = useDebouncedValue(value, typingPause);
  const target = model.resources.find(({ name }) => name === reference.resource);
  const title = target === undefined ? undefined : titleOf(target);
  const key = reference.field;
  const mayLook = target?.operations.includes('read') === true;
  const { data } = useQuery({
    queryKey: ['pick', model.path, reference.resource, search],
    queryFn: async () => {
      const url = `${model.path}/${reference.resource}?limit=${offered}`;
      const filter =
        title === undefined || search === ''
          ? ''
          : `&${encodeURIComponent(title)}_ilike=${encodeURIComponent(search)}`;
      const fields = [key, ...(title === undefined ? [] : [title])].join(',');
      return recordsOf((await ask(`${url}&fields=${encodeURIComponent(fields)}${filter}`)).body);
    },
    enabled: isOpen && mayLook,
  });
  const titles = new Map(
    (data ?? []).map((record) => [
      String(record[key]),
      title === undefined ? '' : brief(shown(record[title])),
    ]),
  );
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
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      autoComplete="off"
    />
  );
}

/** The field that says best what a record is, if it can be searched. */
export function titleOf({ fields, filters }: ResourceInfo): string | undefined {
  const texts = fields.filter(
    ({ name, isReadable, type }) =>
      isReadable &&
      (type === 'string' || type === 'email') &&
      filters.some(({ path, operators }) => path === name && operators.includes('ilike')),
  );
  const best = usualNames.find((name) => texts.some((field) => field.name === name));
  return best ?? texts[0]?.name;
}
