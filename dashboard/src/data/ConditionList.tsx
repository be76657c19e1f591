import { Button, Fieldset, Group, Stack, Text } from '@mantine/core';
import type { JSX } from 'react';
import type { Model, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { ConditionRow, newCondition } from './ConditionRow.tsx';
import { restrictedBy, type Collection } from './expansion.ts';
import type { Condition } from './query.ts';

interface Props {
  readonly resource: ResourceInfo;
  readonly model: Model;
  readonly conditions: readonly Condition[];
  /** The collections whose items a condition may restrict. */
  readonly collections?: readonly Collection[];
  /** What each of them is called, by its number. */
  readonly called: (number: number) => string;
  readonly changed: (conditions: readonly Condition[]) => void;
}

/** Conditions below each other; what restricts the items of a collection says so. */
export function ConditionList(props: Props): JSX.Element {
  const { resource, model, conditions, collections = [], called, changed } = props;
  return (
    <>
      {conditions.map((condition, index) => {
        const restricted = restrictedBy(condition.path, collections);
        return (
          // oxlint-disable-next-line react/no-array-index-key -- conditions have no other identity
          <div key={index}>
            <ConditionRow
              condition={condition}
              model={model}
              resource={resource}
              called={called(index + 1)}
              changed={(next) =>
                changed(
                  conditions.flatMap((one, place) => (place === index ? (next ?? []) : [one])),
                )
              }
            />
            {restricted === undefined ? null : (
              <Text size="xs" className="quiet">
                Leaves out items of {restricted.path}, and no record.
              </Text>
            )}
          </div>
        );
      })}
    </>
  );
}

interface GroupsProps {
  readonly resource: ResourceInfo;
  readonly model: Model;
  readonly groups: readonly (readonly Condition[])[];
  readonly changed: (groups: readonly (readonly Condition[])[]) => void;
}

/** Groups of conditions, of each of which at least one holds: an `_or` each. */
export function Alternatives({ resource, model, groups, changed }: GroupsProps): JSX.Element {
  return (
    <>
      {groups.map((group, index) => {
        /** A group of nothing is none. */
        const change = (next: readonly Condition[]): void =>
          changed(
            groups.flatMap((one, place) =>
              place !== index ? [one] : next.length === 0 ? [] : [next],
            ),
          );
        return (
          // oxlint-disable-next-line react/no-array-index-key -- groups have no other identity
          <Fieldset key={index} legend="At least one of these">
            <Stack gap="xs">
              <ConditionList
                resource={resource}
                model={model}
                conditions={group}
                called={(number) => `alternative ${number} of group ${index + 1}`}
                changed={change}
              />
              <Group>
                <AddCondition
                  text="Add alternative"
                  label={`Add alternative to group ${index + 1}`}
                  path={resource.filters[0]?.path}
                  resource={resource}
                  model={model}
                  added={(condition) => change([...group, condition])}
                />
              </Group>
            </Stack>
          </Fieldset>
        );
      })}
    </>
  );
}

interface AddProps {
  readonly text: string;
  readonly label?: string;
  /** Where it begins; undefined: there is nothing to ask. */
  readonly path: string | undefined;
  readonly resource: ResourceInfo;
  readonly model: Model;
  readonly added: (condition: Condition) => void;
}

/** Puts a condition there that is to be filled in. */
export function AddCondition(props: AddProps): JSX.Element {
  const { text, label = text, path, resource, model, added } = props;
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={label}
      disabled={path === undefined}
      onClick={() => {
        if (path !== undefined) added(newCondition(path, resource, model));
      }}
    >
      {text}
    </Button>
  );
}
