import { Group, Select, Stack } from '@mantine/core';
import type { JSX } from 'react';
import type { Model, ResourceInfo } from '../../../../../src/http/dashboard/wire-model.ts';
import { joined, keyAt, leafAt, levelsOf, type Level } from '../../paths.ts';
import type { Condition } from '../../query.ts';
import { conditionAt, conditionWith, meaningOf, nowhere, operandOf } from '../conditions.ts';
import { OperandEditor } from './OperandEditor.tsx';

interface Props {
  readonly condition: Condition;
  readonly model: Model;
  readonly resource: ResourceInfo;
  /** What it is called, for who cannot see where it stands. */
  readonly called: string;
  readonly changed: (next: Condition) => void;
}

/** A condition: its path step by step, each behind a relation that was chosen before, its operator and its value. */
export function ConditionEditor(props: Props): JSX.Element {
  const { condition, model, resource, called, changed } = props;
  const { path, operator, value } = condition;
  const { operators: fit, type, values } = leafAt(path, resource, model) ?? nowhere;
  const operand = operandOf(operator, model);
  return (
    <Stack gap={8}>
      <Group gap={6} className="steps">
        {levelsOf(path, resource, model).map((level) => (
          <PathStep
            key={level.behind}
            level={level}
            called={called}
            chosen={(next) => changed(conditionAt(next, condition, resource, model))}
          />
        ))}
      </Group>
      <Select
        aria-label={`Operator of ${called}`}
        data={fit.map((name) => ({ value: name, label: meaningOf(name, model) }))}
        value={operator}
        onChange={(next) => changed(conditionWith(next ?? operator, condition, model))}
        allowDeselect={false}
      />
      <OperandEditor
        key={`${path} ${operand}`}
        label={`Value of ${called}`}
        operand={operand}
        type={type}
        values={values}
        reference={keyAt(path, resource, model)?.reference}
        model={model}
        value={value}
        changed={(next) => changed({ ...condition, value: next })}
      />
    </Stack>
  );
}

interface StepProps {
  readonly level: Level;
  readonly called: string;
  /** Takes the whole path. */
  readonly chosen: (path: string) => void;
}

function PathStep({
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
      style={{ flex: 1, minWidth: 130 }}
    />
  );
}
