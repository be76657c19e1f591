import { Group, Select } from '@mantine/core';
import type { JSX } from 'react';
import type { Model, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { RemoveButton } from './ListButtons.tsx';
import { OperandInput } from './OperandInput.tsx';
import { joined, leafAt, levelsOf, type Level } from './paths.ts';
import type { Condition } from './query.ts';

interface Props {
  readonly condition: Condition;
  readonly model: Model;
  readonly resource: ResourceInfo;
  /** What it is called, for who cannot see where it stands. */
  readonly called: string;
  readonly changed: (next: Condition | undefined) => void;
}

/** A condition: its path step by step, each behind a relation that was chosen before, its operator and its value. */
export function ConditionRow({ condition, model, resource, called, changed }: Props): JSX.Element {
  const { path, operator, value } = condition;
  const { operators: fit, type, values } = leafAt(path, resource, model) ?? nowhere;
  const { operand, meaning } = model.operators.find(({ name }) => name === operator) ?? {
    operand: 'value',
    meaning: operator,
  };
  const choices =
    operand === 'flag' || (operand === 'value' && type === 'boolean')
      ? ['true', 'false']
      : (operand === 'value' || operand === 'list') && values !== null
        ? [...new Set(values.map(String))]
        : undefined;
  const levels = levelsOf(path, resource, model);
  return (
    <Group className="condition" gap="xs">
      <Group gap="xs" style={{ flex: levels.length }}>
        {levels.map((level) => (
          <Step
            key={level.behind}
            level={level}
            called={called}
            chosen={(next) => changed(conditionAt(next, condition, resource, model))}
          />
        ))}
      </Group>
      <Select
        aria-label={`Operator of ${called}`}
        data={fit.map((name) => ({
          value: name,
          label: model.operators.find((one) => one.name === name)?.meaning ?? name,
        }))}
        value={operator}
        onChange={(next) => changed(conditionWith(next ?? operator, condition, model))}
        allowDeselect={false}
        // As wide as the longest of them.
        style={{ flex: '0 1 15rem' }}
      />
      <OperandInput
        label={`Value of ${called}`}
        hint={operand === 'list' ? 'several, with commas' : `${meaning}…`}
        choices={choices}
        isList={operand === 'list'}
        path={path}
        value={value}
        changed={(next) => changed({ ...condition, value: next })}
      />
      <RemoveButton label={`Remove ${called}`} run={() => changed(undefined)} />
    </Group>
  );
}

const nowhere = { operators: ['eq'], type: null, values: null } as const;

interface StepProps {
  readonly level: Level;
  readonly called: string;
  /** Takes the whole path. */
  readonly chosen: (path: string) => void;
}

function Step({
  level: { behind, chosen: current, groups },
  called,
  chosen,
}: StepProps): JSX.Element {
  const isFirst = behind === '';
  const all = groups.map(({ group, items }) => ({ group, items: [...items] }));
  return (
    <Select
      aria-label={isFirst ? `Field of ${called}` : `Field of ${behind} in ${called}`}
      data={isFirst ? all : [{ value: '', label: 'itself' }, ...all]}
      value={current}
      onChange={(next) => {
        if (next !== null) chosen(joined(behind, next));
      }}
      searchable
      allowDeselect={false}
      style={{ flex: 1, minWidth: 110 }}
    />
  );
}

/** A condition to fill in. */
export function newCondition(path: string, resource: ResourceInfo, model: Model): Condition {
  return conditionAt(path, { path, operator: '', value: '' }, resource, model);
}

/** A condition at another path: it keeps its operator where that fits, and is asked for a value. */
function conditionAt(
  path: string,
  { operator }: Condition,
  resource: ResourceInfo,
  model: Model,
): Condition {
  const takes = leafAt(path, resource, model)?.operators ?? nowhere.operators;
  const isKept = takes.includes(operator) && !isFlag(operator, model);
  const next = isKept ? operator : (takes[0] ?? 'eq');
  return { path, operator: next, value: isFlag(next, model) ? 'true' : '' };
}

/** A condition with another operator, and with its value where that can mean the same. */
function conditionWith(operator: string, condition: Condition, model: Model): Condition {
  const [was, is] = [isFlag(condition.operator, model), isFlag(operator, model)];
  const { value } = was === is ? condition : { value: is ? 'true' : '' };
  return { ...condition, operator, value };
}

function isFlag(operator: string, { operators }: Model): boolean {
  return operators.some(({ name, operand }) => name === operator && operand === 'flag');
}
