import {
  mayCreate,
  outlastsReplacing,
  type InputView,
  type ResourceView,
} from '../../model/view.ts';

/** The members that a body must have. */
export function requiredInputs(
  face: ResourceView,
  kind: 'create' | 'replace',
): readonly InputView[] {
  return [...face.inputs.values()].filter((input) => {
    const { field, creatable } = input;
    if (field === face.resource.id || field.default !== undefined) return false;
    if (kind === 'create' ? !creatable : outlastsReplacing(face, input)) return false;
    return field.required || !field.nullable;
  });
}

/** The members that a body of a create may have. */
export function creatableInputs(face: ResourceView): readonly InputView[] {
  return [...face.inputs.values()].filter(mayCreate);
}

/**
 * The members that a body of a change may have, those among them that it cannot change. What is immutable and not to be
 * seen is refused whatever its value is.
 */
export function changeInputs(face: ResourceView): readonly InputView[] {
  return [...face.inputs.values()].filter(
    ({ name, field, updatable }) => !field.immutable || !updatable || face.fields.has(name),
  );
}
