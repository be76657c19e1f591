import { useEffect, useState } from 'react';

/** Of what covers the page while it is there: whatever had the focus before has it again afterwards. */
export function useReturnedFocus(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement && before.isConnected)
        before.focus({ preventScroll: true });
    },
    [before],
  );
}

/** Whether the control of a key press has its list or menu open, which Escape closes before what they are in. */
export function hasMenuOpen(target: EventTarget): boolean {
  return target instanceof Element && target.ariaExpanded === 'true';
}

/** Whether arrow keys have led to a choice in the list of a control, which Enter takes. */
export function isAtChoice(target: EventTarget): boolean {
  const id = target instanceof Element ? target.getAttribute('aria-controls') : null;
  const list = id === null ? null : document.getElementById(id);
  return list?.querySelector('[data-combobox-selected]') instanceof Element;
}

/** In ms: a dialog that closes gives the focus back first, to what may be gone. */
const afterReturn = 60;

/** Gives the focus to what takes the place of a dialog that closes. */
export function focusAfterDialog(find: () => HTMLElement | null | undefined): void {
  setTimeout(() => find()?.focus(), afterReturn);
}
