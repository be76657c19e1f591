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

/** Does what may take `control` away: then the nearest one before it that is still there has the focus, else one after. */
export function keepingFocus(control: HTMLElement, work: () => void): void {
  const all = [...document.querySelectorAll<HTMLElement>('a[href], button, input, textarea')];
  const place = all.indexOf(control);
  const others = [...all.slice(0, place).reverse(), ...all.slice(place + 1)];
  work();
  // The page is drawn anew when the click was taken.
  setTimeout(() => {
    if (control.isConnected) return;
    others.find((other) => other.isConnected && other.tabIndex >= 0)?.focus();
  });
}

/** Whether the control of a key press has its list or menu open, which Escape closes before what they are in. */
export function hasMenuOpen(target: EventTarget): boolean {
  return target instanceof Element && target.ariaExpanded === 'true';
}
