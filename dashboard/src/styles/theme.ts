import { createTheme } from '@mantine/core';
import type { MouseEvent } from 'react';

/** A menu scrolls as the list box that it is, which those who cannot see it are led through by its input. */
const menu = {
  defaultProps: {
    withScrollArea: false,
    styles: { options: { maxHeight: 260, overflowY: 'auto' } },
  },
} as const;

/** Where only what is offered can be chosen, Enter takes the first that fits what was typed. */
const choice = {
  defaultProps: { ...menu.defaultProps, selectFirstOptionOnChange: true },
} as const;

/** A click on the chosen value selects it, so that the first letter replaces it. */
const replaced = {
  onClick: ({ currentTarget }: MouseEvent<HTMLInputElement>): void => {
    if (!currentTarget.readOnly) currentTarget.select();
  },
};

interface Sized {
  readonly size?: string;
}

/** Heights of controls, in px: see "Spacing and sizes" in design.md. */
const heights: Readonly<Record<string, string>> = { xs: '28px', sm: '32px', md: '36px' };
const heightOf = (size: unknown): string => heights[String(size)] ?? '32px';

/** What opens over the page stands in its main part, so that it is within a landmark: see `Opened`. */
export const openedId = 'opened';

/** The design of the page for the component library. The tokens themselves are in tokens.css; see design.md. */
export const theme = createTheme({
  colors: {
    verdigris: [
      '#eefaf7',
      '#d5f1ea',
      '#a9e2d5',
      '#74cdbb',
      '#43b3a0',
      '#249684',
      '#13796b',
      '#0d655a',
      '#0b5049',
      '#083d38',
    ],
    gray: [
      '#f8f9f9',
      '#f1f3f3',
      '#e6e9e9',
      '#d8dcdd',
      '#c2c8ca',
      '#8c9496',
      '#697174',
      '#495053',
      '#2f3537',
      '#1b2022',
    ],
    dark: [
      '#e4e7e8',
      '#c3c8ca',
      '#9da4a7',
      '#757d81',
      '#353b3e',
      '#2a2f32',
      '#1e2225',
      '#15181a',
      '#101214',
      '#0b0d0e',
    ],
    // Dark enough for text on white, and for white text on it.
    red: [
      '#fff1f0',
      '#ffdedb',
      '#ffbdb8',
      '#ff938b',
      '#f8685f',
      '#e5453c',
      '#cf2f28',
      '#b8221c',
      '#981a16',
      '#7d1512',
    ],
    orange: [
      '#fff5e8',
      '#ffe7c9',
      '#fdcd94',
      '#f9ae58',
      '#ee8f2b',
      '#d77413',
      '#b95c0a',
      '#a34d06',
      '#843d05',
      '#6a3104',
    ],
  },
  primaryColor: 'verdigris',
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Code', Consolas, monospace",
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '1.3' },
      h2: { fontSize: '20px', lineHeight: '1.3' },
      h3: { fontSize: '16px', lineHeight: '1.4' },
      h4: { fontSize: '14px', lineHeight: '1.45' },
    },
  },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  radius: { xs: '3px', sm: '5px', md: '7px', lg: '10px', xl: '16px' },
  defaultRadius: 'sm',
  shadows: {
    md: '0 2px 4px rgb(0 0 0 / 5%), 0 8px 24px rgb(0 0 0 / 10%)',
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Anchor: { defaultProps: { inherit: true } },
    // Only what has gone wrong interrupts a reader of the screen; that says so itself.
    Alert: { defaultProps: { role: 'note', p: 'sm' } },
    Badge: { defaultProps: { variant: 'light', size: 'sm', tt: 'none', fw: 500 } },
    Button: {
      defaultProps: { size: 'sm', fw: 500 },
      vars: (_theme: unknown, { size = 'sm' }: Sized) =>
        Object.hasOwn(heights, size)
          ? {
              root: {
                '--button-height': heightOf(size),
                '--button-fz': '13px',
                '--button-padding-x': size === 'xs' ? '10px' : '12px',
              },
            }
          : { root: {} },
    },
    Input: {
      defaultProps: { size: 'sm' },
      vars: (_theme: unknown, { size = 'sm' }: Sized) => ({
        wrapper: { '--input-height': heightOf(size), '--input-fz': '13px' },
      }),
    },
    InputWrapper: {
      vars: () => ({
        label: { '--input-label-size': '13px', '--input-asterisk-color': undefined },
        error: { '--input-error-size': '12px' },
        description: { '--input-description-size': '12px' },
      }),
    },
    Loader: { defaultProps: { size: 'sm', type: 'dots' } },
    // The first item has the focus, rather than an element that is no item.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: { defaultProps: { overlayProps: { backgroundOpacity: 0.35 } } },
    NavLink: { defaultProps: { variant: 'subtle' } },
    Pagination: { defaultProps: { size: 'sm' } },
    Portal: { defaultProps: { target: `#${openedId}` } },
    Popover: { defaultProps: { shadow: 'md', radius: 'md' } },
    SegmentedControl: { defaultProps: { size: 'xs' } },
    Table: { defaultProps: { fz: 13 } },
    Tooltip: { defaultProps: { openDelay: 400, fz: 12 } },
    // A menu is where its input is: in the same part of the page, and in the dialog that shuts off all else.
    Combobox: { defaultProps: { withinPortal: false, shadow: 'md' } },
    Select: { defaultProps: { ...choice.defaultProps, ...replaced } },
    MultiSelect: choice,
    TagsInput: menu,
    Autocomplete: { defaultProps: { ...menu.defaultProps, ...replaced } },
  },
});
