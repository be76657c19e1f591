import {
  ActionIcon,
  Group,
  MultiSelect,
  Pill,
  Select,
  TagsInput,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { Clock } from 'lucide-react';
import type { JSX } from 'react';
import type { Model, ValueInfo } from '../../../../../src/http/dashboard/wire-model.ts';
import { itemsOf, listOf } from '../../query.ts';
import { useLabels } from '../../record/labels.ts';
import { Choice, choicesOf, RecordPicker, useFound } from '../../record/inputs/RecordPicker.tsx';

interface Props {
  readonly label: string;
  readonly operand: 'value' | 'list' | 'flag';
  readonly type: string | null;
  readonly values: readonly unknown[] | null;
  readonly reference: ValueInfo['reference'];
  readonly model: Model;
  readonly value: string;
  readonly changed: (value: string) => void;
}

/** The value of a condition, by its type: one, several, or yes and no. */
export function OperandEditor(props: Props): JSX.Element {
  const { label, operand, type, values, reference, model, value, changed } = props;
  const common = { 'aria-label': label };
  const choices = valuesOf(props);
  if (operand === 'list') return <ListEditor {...props} choices={choices} items={itemsOf(value)} />;
  if (choices !== undefined)
    return (
      <Select
        {...common}
        data={[...choices]}
        value={choices.includes(value) ? value : null}
        placeholder="Choose"
        onChange={(next) => changed(next ?? '')}
        allowDeselect={false}
      />
    );
  if (reference !== undefined)
    return (
      <RecordPicker
        {...common}
        model={model}
        reference={reference}
        value={value}
        changed={changed}
        placeholder={`Search ${reference.resource}`}
        isNamed
      />
    );
  if ((type === 'date' || type === 'datetime') && values === null)
    return <MomentEditor label={label} type={type} value={value} changed={changed} />;
  return (
    <TextInput
      {...common}
      value={value}
      placeholder="Value"
      inputMode={
        type === 'integer' || type === 'number' || type === 'decimal' ? 'decimal' : undefined
      }
      onChange={(event) => changed(event.currentTarget.value)}
      autoComplete="off"
      data-autofocus
    />
  );
}

function valuesOf({ operand, type, values }: Props): readonly string[] | undefined {
  if (operand === 'flag' || (operand === 'value' && type === 'boolean')) return ['true', 'false'];
  return values === null ? undefined : [...new Set(values.map(String))];
}

interface ListProps extends Props {
  readonly choices: readonly string[] | undefined;
  /** Undefined: the URL has what is no list. */
  readonly items: readonly string[] | undefined;
}

/** Several values, each a chip: a comma, Enter or leaving ends one, and blanks around it are no part of it. */
function ListEditor(props: ListProps): JSX.Element {
  const { label, value, changed, choices, items, reference, model } = props;
  const found = useFound(model, reference);
  const labels = useLabels(
    reference === undefined ? [] : [{ reference, values: items ?? [] }],
    model,
  );
  const nameOf = (key: string): string =>
    (reference === undefined ? undefined : labels(reference, key)) ?? key;
  if (items === undefined)
    return (
      <TextInput
        aria-label={label}
        value={value}
        onChange={(event) => changed(event.currentTarget.value)}
      />
    );
  if (choices !== undefined && items.every((item) => choices.includes(item)))
    return (
      <MultiSelect
        aria-label={label}
        data={[...choices]}
        value={[...new Set(items)]}
        placeholder={items.length === 0 ? 'Choose several' : undefined}
        onChange={(next) => changed(listOf(next))}
        searchable
      />
    );
  return (
    <TagsInput
      aria-label={label}
      data={choicesOf(found)}
      // The server has searched already.
      filter={({ options }) => options}
      value={[...new Set(items)]}
      placeholder={items.length === 0 ? 'Values, with commas' : undefined}
      onChange={(next) =>
        changed(listOf(next.map((item) => item.trim()).filter((item) => item !== '')))
      }
      renderOption={({ option }) => (
        <Choice value={option.value} title={found.titles.get(option.value)} />
      )}
      renderPill={({ value: item = '', onRemove, disabled }) => (
        <Pill withRemoveButton onRemove={onRemove} disabled={disabled === true} title={item}>
          {nameOf(item)}
        </Pill>
      )}
      onSearchChange={found.search}
      onDropdownOpen={found.open}
      onDropdownClose={found.close}
      splitChars={[',', '\n', '\t']}
      acceptValueOnBlur
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      data-autofocus
    />
  );
}

interface MomentProps {
  readonly label: string;
  readonly type: string;
  readonly value: string;
  readonly changed: (value: string) => void;
}

/** A date or moment with a picker, or relative to the time of the request: `now-7d`. */
function MomentEditor({ label, type, value, changed }: MomentProps): JSX.Element {
  const isRelative = value.startsWith('now');
  const isPicked = value === '' || /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/u.test(value);
  const usesPicker = !isRelative && isPicked;
  const hasTime = type === 'datetime' && value.includes('T');
  return (
    <Group gap={6} wrap="nowrap">
      <TextInput
        aria-label={label}
        style={{ flex: 1 }}
        type={usesPicker ? (hasTime ? 'datetime-local' : 'date') : 'text'}
        step={hasTime ? '1' : undefined}
        value={hasTime && usesPicker ? value.replace(/Z$/u, '') : value}
        onChange={({ currentTarget }) => {
          const text = currentTarget.value;
          changed(
            text.includes('T') && usesPicker
              ? `${text.length === 16 ? `${text}:00` : text}Z`
              : text,
          );
        }}
        data-autofocus
      />
      <Tooltip label={isRelative ? 'A date' : 'Relative to now, as now-7d'}>
        <ActionIcon
          variant={isRelative ? 'light' : 'subtle'}
          aria-label="Relative to now"
          aria-pressed={isRelative}
          onClick={() => changed(isRelative ? '' : 'now-7d')}
        >
          <Clock size={15} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
