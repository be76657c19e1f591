import {
  ActionIcon,
  Button,
  Chip,
  NumberInput,
  Popover,
  Select,
  Switch,
  TextInput,
} from '@mantine/core';
import { Ban, ListFilter, Search, X } from 'lucide-react';
import { useState, type JSX, type ReactNode } from 'react';
import type { RequestRow } from '../../../../src/http/dashboard/wire.ts';
import { visible } from '../../words.ts';
import { columnOf, columns, isColumn, type ColumnName } from './columns.ts';
import {
  amongRows,
  conditionText,
  facetsOf,
  includesOwn,
  withCondition,
  withOwn,
  withoutCondition,
  type Condition,
  type RequestFilter,
} from './filter.ts';

interface Props {
  readonly rows: readonly RequestRow[];
  readonly filter: RequestFilter;
  readonly changed: (filter: RequestFilter) => void;
  /** Buttons beside the filter. */
  readonly children: ReactNode;
}

/** Conditions that are asked for most. */
const quick: readonly { readonly label: string; readonly condition: Condition }[] = [
  { label: 'Errors', condition: { column: 'status', isNot: false, value: 'errors' } },
  { label: 'Slow', condition: { column: 'duration', isNot: false, value: '>100' } },
];

/** Search, conditions as chips, and the menu that adds one. */
export function FilterBar({ rows, filter, changed, children }: Props): JSX.Element {
  const isOn = (condition: Condition): boolean => find(filter, condition) !== undefined;
  const toggle = (condition: Condition): void => {
    const found = find(filter, condition);
    changed(
      found === undefined ? withCondition(filter, condition) : withoutCondition(filter, found),
    );
  };
  const others = filter.conditions.filter(
    (one) => !quick.some(({ condition }) => isSame(condition, one)),
  );
  return (
    <div className="filter-bar" role="search" aria-label="Filter of requests">
      <TextInput
        size="xs"
        aria-label="Search"
        placeholder="Search"
        leftSection={<Search size={14} aria-hidden />}
        value={filter.text}
        onChange={(event) => changed({ ...filter, text: event.currentTarget.value })}
        className="filter-search"
      />
      <AddCondition
        rows={amongRows(rows, filter)}
        added={(condition) => changed(withCondition(filter, condition))}
      />
      {quick.map(({ label, condition }) => (
        <Chip
          key={label}
          size="xs"
          variant="outline"
          checked={isOn(condition)}
          onChange={() => toggle(condition)}
        >
          {label}
        </Chip>
      ))}
      <Switch
        size="xs"
        label="Dashboard's own"
        title="List the requests that the dashboard has sent, too"
        checked={includesOwn(filter)}
        onChange={({ currentTarget }) => changed(withOwn(filter, currentTarget.checked))}
      />
      <span className="filter-actions">{children}</span>
      {others.length === 0 ? null : (
        <ul className="conditions" aria-label="Conditions">
          {others.map((condition) => (
            <li key={`${condition.column} ${condition.value}`}>
              <button
                type="button"
                className="condition-text"
                title={condition.isNot ? 'Change to what is so' : 'Change to what is not so'}
                onClick={() =>
                  changed(withCondition(filter, { ...condition, isNot: !condition.isNot }))
                }
              >
                {visible(conditionText(condition))}
              </button>
              <ActionIcon
                size={20}
                variant="transparent"
                color="gray"
                aria-label={`Remove ${visible(conditionText(condition))}`}
                onClick={() => changed(withoutCondition(filter, condition))}
              >
                <X size={12} aria-hidden />
              </ActionIcon>
            </li>
          ))}
          <li className="plain">
            <Button
              size="compact-xs"
              variant="subtle"
              onClick={() => changed({ ...filter, text: '', conditions: [] })}
            >
              Clear filters
            </Button>
          </li>
        </ul>
      )}
    </div>
  );
}

function isSame(one: Condition, other: Condition): boolean {
  return one.column === other.column && one.value === other.value && one.isNot === other.isNot;
}

function find({ conditions }: RequestFilter, wanted: Condition): Condition | undefined {
  return conditions.find((one) => isSame(one, wanted));
}

/** More values than these are found by typing. */
const shownFacets = 12;

interface AddProps {
  readonly rows: readonly RequestRow[];
  readonly added: (condition: Condition) => void;
}

function AddCondition({ rows, added }: AddProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [column, setColumn] = useState<ColumnName>('status');
  const add = (value: string, isNot: boolean): void => {
    added({ column, value, isNot });
    setOpen(false);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      trapFocus
      returnFocus
      withinPortal
    >
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<ListFilter size={14} aria-hidden />}
          onClick={() => setOpen(!isOpen)}
        >
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown w={320} p="sm">
        <Select
          label="Column"
          size="xs"
          data={Object.entries(columns).map(([value, { label }]) => ({ value, label }))}
          value={column}
          onChange={(value) => {
            if (value !== null && isColumn(value)) setColumn(value);
          }}
          allowDeselect={false}
          mb="xs"
          data-autofocus
        />
        {columnOf(column).values === undefined ? (
          <Amount key={column} column={column} add={add} />
        ) : (
          <Values key={column} rows={rows} column={column} add={add} />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

interface EditorProps {
  readonly column: ColumnName;
  readonly add: (value: string, isNot: boolean) => void;
}

function Values({
  rows,
  column,
  add,
}: EditorProps & { readonly rows: readonly RequestRow[] }): JSX.Element {
  const [text, setText] = useState('');
  const facets = facetsOf(rows, column);
  const found = facets.filter(({ value }) => value.toLowerCase().includes(text.toLowerCase()));
  const { isPart } = columnOf(column);
  return (
    <>
      <TextInput
        size="xs"
        aria-label={isPart === true ? 'A part of it' : 'Value'}
        placeholder={isPart === true ? 'A part of it' : 'Value'}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          const value = isPart === true ? text : (found[0]?.value ?? text);
          if (event.key === 'Enter' && value !== '') add(value, false);
        }}
        mb="xs"
      />
      <ul className="facets">
        {found.slice(0, shownFacets).map(({ value, count }) => (
          <li key={value}>
            <button type="button" onClick={() => add(value, false)}>
              <span className="name">{visible(value)}</span>
              <span className="quiet numeric">{count.toLocaleString()}</span>
            </button>
            <ActionIcon
              size={24}
              variant="subtle"
              color="gray"
              aria-label={`Without ${visible(value)}`}
              title={`Without ${visible(value)}`}
              onClick={() => add(value, true)}
            >
              <Ban size={14} aria-hidden />
            </ActionIcon>
          </li>
        ))}
        {found.length === 0 ? <li className="quiet">No request has such a value.</li> : null}
        {found.length > shownFacets ? (
          <li className="quiet">{found.length - shownFacets} more; type to find them.</li>
        ) : null}
      </ul>
    </>
  );
}

function Amount({ column, add }: EditorProps): JSX.Element {
  const [amount, setAmount] = useState<number | string>('');
  const { label, unit } = columnOf(column);
  return (
    <>
      <NumberInput
        size="xs"
        label={`${label} in ${unit}`}
        value={amount}
        onChange={setAmount}
        min={0}
        hideControls
        mb="xs"
      />
      <Button.Group>
        {(
          [
            ['At least', '>'],
            ['Below', '<'],
          ] as const
        ).map(([text, sign]) => (
          <Button
            key={sign}
            size="xs"
            variant="default"
            disabled={amount === ''}
            onClick={() => add(`${sign}${amount}`, false)}
          >
            {text}
          </Button>
        ))}
      </Button.Group>
    </>
  );
}
