import type { Locator, Page } from 'playwright-core';
import { eventually } from './browser.ts';

/** More stops than any page has between two things that a task needs. */
const mostStops = 120;
/** More choices than any list offers here. */
const mostChoices = 60;

/** Somebody who has a keyboard and nothing else: all is done where the focus is, which Tab, arrows, Enter and Esc move. */
export interface Keyboard {
  /** Presses keys one after another, as `ArrowDown` or `Control+a`. */
  readonly press: (...keys: readonly string[]) => Promise<void>;
  readonly type: (text: string) => Promise<void>;
  /** Types in the place of what the focused input holds. */
  readonly replace: (text: string) => Promise<void>;
  /** Moves on by Tab, or back by Shift+Tab, until something has the focus. */
  readonly tabTo: (wanted: Locator, direction?: 'on' | 'back') => Promise<void>;
  /** As `tabTo`, then presses Enter. */
  readonly enter: (wanted: Locator, direction?: 'on' | 'back') => Promise<void>;
  /** Waits until something has the focus, which the page gives it. */
  readonly at: (wanted: Locator) => Promise<void>;
  /** Waits until something within has the focus. */
  readonly within: (outer: Locator) => Promise<void>;
  /** Opens the list of the focused input and takes a choice of it by arrow keys. */
  readonly choose: (choice: string) => Promise<void>;
  /** Goes to a view or a resource by the palette. */
  readonly goTo: (name: string) => Promise<void>;
}

export function keyboardOf(page: Page): Keyboard {
  const { keyboard } = page;
  const focus = page.locator(':focus');
  const has = async (wanted: Locator): Promise<boolean> => (await wanted.and(focus).count()) === 1;
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await keyboard.press(key);
  };
  const at = (wanted: Locator): Promise<void> => eventually(() => has(wanted)).toBe(true);
  const tabTo = async (wanted: Locator, direction: 'on' | 'back' = 'on'): Promise<void> => {
    await wanted.waitFor({ state: 'attached' });
    const passed: string[] = [];
    while (!(await has(wanted))) {
      if (passed.length === mostStops)
        throw new Error(`Not reached by Tab: ${String(wanted)}; passed ${passed.join(' · ')}`);
      passed.push(String(await page.evaluate(nameOfFocused)));
      await press(direction === 'on' ? 'Tab' : 'Shift+Tab');
    }
  };
  const type = (text: string): Promise<void> => keyboard.type(text);
  return {
    press,
    type,
    replace: async (text) => {
      await press('Control+a');
      await type(text);
    },
    tabTo,
    enter: async (wanted, direction) => {
      await tabTo(wanted, direction);
      await press('Enter');
    },
    at,
    within: (outer) => eventually(() => outer.locator(':focus').count()).toBe(1),
    choose: async (choice) => {
      const options = page.getByRole('option').filter({ visible: true });
      if ((await options.count()) === 0) await press('ArrowDown');
      const wanted = page.getByRole('option', { name: choice, exact: true });
      await wanted.waitFor();
      const isAt = async (): Promise<boolean> =>
        (await wanted.getAttribute('data-combobox-selected')) === 'true';
      for (let step = 0; !(await isAt()); step += 1) {
        if (step === mostChoices) throw new Error(`Not reached by arrow keys: ${choice}`);
        await press('ArrowDown');
      }
      await press('Enter');
      await wanted.waitFor({ state: 'detached' });
    },
    goTo: async (name) => {
      await press('Control+k');
      await at(page.getByRole('textbox', { name: 'Go to' }));
      await type(name);
      await page.getByRole('dialog').getByText(name, { exact: true }).waitFor();
      await press('Enter');
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      await at(page.getByRole('main'));
    },
  };
}

const nameOfFocused = `(({ tagName, ariaLabel, textContent }) =>
  (ariaLabel ?? (textContent === '' ? tagName : textContent)).slice(0, 30))(document.activeElement)`;
