import {
  mayCreate,
  outlastsReplacing,
  type InputView,
  type ResourceView,
} from '../../model/view.ts';

/** The members that a body must have. */
export function requiredInputs(
  resourceView: ResourceView,
  kind: 'create' | 'replace',
): readonly InputView[] {
  const { view, resource } = resourceView;
  if (kind === 'create' && view.api.filledByCode?.has(resource.name) === true) return [];
  return [...resourceView.inputs.values()].filter((input) => {
    const { field, creatable } = input;
    const isId = field === resourceView.resource.id;
    if (field.default !== undefined || (isId && (kind === 'replace' || !field.required)))
      return false;
    if (kind === 'create' ? !creatable : outlastsReplacing(resourceView, input)) return false;
    return field.required || !field.nullable;
  });
}

/** The members that a body of a create may have. */
export function creatableInputs(resourceView: ResourceView): readonly InputView[] {
  return [...resourceView.inputs.values()].filter(mayCreate);
}

/**
 * The members that a body of a change may have, those among them that it cannot change. What is immutable and not to be
 * seen is refused whatever its value is.
 */
export function changeInputs(resourceView: ResourceView): readonly InputView[] {
  return [...resourceView.inputs.values()].filter(
    ({ name, field, updatable }) => !field.immutable || !updatable || resourceView.fields.has(name),
  );
}
