const controls = 'a[href], button, input, select, textarea, [tabindex], [contenteditable="true"]';
/** In ms: what closes gives the focus to something by itself, some moments later. */
const patience = 120;

/**
 * A dialog or a menu gives the focus twice to where it begins (Mantine's `data-autofocus`), the second time some moments
 * later. It begins where the focus is by then.
 */
function beginAt(target: EventTarget | null): void {
  if (!(target instanceof HTMLElement)) return;
  const opened = target.closest('[role="dialog"], [role="menu"]');
  for (const one of opened?.querySelectorAll('[data-autofocus]') ?? [])
    one.removeAttribute('data-autofocus');
  if (opened !== null && opened !== target) target.dataset['autofocus'] = 'true';
}

/**
 * Keeps the focus where one works, for as long as the page lives. If the control that has it is removed, hidden or
 * disabled, the nearest one before it gets the focus, else one after it. One that is busy gets it again when it is done.
 */
export function keepFocus(): void {
  let at: HTMLElement | undefined;
  /** The controls of the page when `at` got the focus, in their order. */
  let all: readonly HTMLElement[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isLost = (): boolean => at !== undefined && document.activeElement === document.body;
  const restore = (): void => {
    timer = undefined;
    if (at === undefined || !isLost() || isBusy(at)) return;
    const place = all.indexOf(at);
    const others =
      place === -1 ? [] : [...all.slice(0, place).toReversed(), ...all.slice(place + 1)];
    const nearest = others.find((other) => other.tabIndex >= 0 && canHaveFocus(other));
    (canHaveFocus(at) ? at : nearest)?.focus({ preventScroll: true });
  };
  document.addEventListener('focusin', ({ target }) => {
    beginAt(target);
    clearTimeout(timer);
    timer = undefined;
    at = target instanceof HTMLElement ? target : undefined;
    all = [...document.querySelectorAll<HTMLElement>(controls)];
  });
  document.addEventListener('focusout', ({ target }) => {
    // The user has moved the focus away from a control that is still there.
    setTimeout(() => {
      if (target === at && at !== undefined && isLost() && canHaveFocus(at)) at = undefined;
    });
  });
  const changes = new MutationObserver(() => {
    // What was disabled loses the focus with the next frame.
    if (isLost() || at?.matches(':disabled') === true) timer ??= setTimeout(restore, patience);
  });
  changes.observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled', 'hidden', 'inert'],
  });
}

function canHaveFocus(control: HTMLElement): boolean {
  return (
    control.isConnected &&
    !control.matches(':disabled, [inert] *') &&
    control.checkVisibility({ visibilityProperty: true })
  );
}

/** Whether a button waits for what it does, and is disabled only meanwhile. */
function isBusy(control: HTMLElement): boolean {
  return control.isConnected && control.matches('[data-loading]');
}
