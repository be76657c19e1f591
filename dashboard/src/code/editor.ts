import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import {
  bracketMatching,
  codeFolding,
  foldAll,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  syntaxHighlighting,
  unfoldAll,
} from '@codemirror/language';
import { openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--code-key)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: [tags.bool, tags.null], color: 'var(--code-word)' },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: 'var(--quiet)' },
]);

const look = EditorView.theme({
  '&': {
    fontSize: '12px',
    backgroundColor: 'var(--block)',
    color: 'var(--ink)',
    borderRadius: '5px',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '18px' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--faint)', border: '0' },
  '.cm-foldGutter span': { cursor: 'pointer', padding: '0 4px' },
  '.cm-foldPlaceholder': {
    padding: '0 6px',
    border: '1px solid var(--rule)',
    borderRadius: '4px',
    backgroundColor: 'var(--paper)',
    color: 'var(--quiet)',
  },
  '.cm-panels': { backgroundColor: 'var(--canvas)', color: 'var(--ink)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '6px 28px 6px 8px', fontSize: '12px' },
  '.cm-panel.cm-search label': { fontSize: '12px' },
  '.cm-textfield': {
    padding: '2px 6px',
    border: '1px solid var(--rule)',
    borderRadius: '4px',
    backgroundColor: 'var(--paper)',
    color: 'var(--ink)',
    fontSize: '12px',
  },
  '.cm-button': {
    padding: '2px 8px',
    border: '1px solid var(--rule)',
    borderRadius: '4px',
    backgroundColor: 'var(--paper)',
    backgroundImage: 'none',
    color: 'var(--ink)',
    fontSize: '12px',
  },
  '.cm-panel.cm-search [name=close]': { color: 'var(--ink)', top: '4px', right: '8px' },
  '.cm-searchMatch': { backgroundColor: 'var(--match)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--match-chosen)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--mark-soft)',
  },
});

export interface EditorOptions {
  readonly text: string;
  readonly language: 'json' | 'text';
  /** What the text is, for screen readers. */
  readonly label: string;
  /** Absent: the text is only read. */
  readonly changed?: ((text: string) => void) | undefined;
}

const commands = { foldAll, unfoldAll, openSearchPanel } as const;

export interface Editor {
  readonly run: (name: keyof typeof commands) => void;
  readonly destroy: () => void;
}

/** Puts an editor into the page. */
export function mountEditor(
  parent: HTMLElement,
  { text, language, label, changed }: EditorOptions,
): Editor {
  const isRead = changed === undefined;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        ...(language === 'json' ? [json(), bracketMatching(), codeFolding(), foldGutter()] : []),
        ...(isRead ? [lineNumbers()] : [history()]),
        syntaxHighlighting(colours),
        highlightSpecialChars(),
        search({ top: true }),
        EditorView.lineWrapping,
        // In a read-only editor, Tab moves on to the next control.
        EditorState.readOnly.of(isRead),
        EditorView.editable.of(!isRead),
        EditorView.contentAttributes.of({
          'aria-label': label,
          ...(isRead ? { tabindex: '0', 'aria-readonly': 'true' } : {}),
        }),
        keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...foldKeymap]),
        look,
        ...(changed === undefined
          ? []
          : [
              EditorView.updateListener.of((update) => {
                if (update.docChanged) changed(update.state.doc.toString());
              }),
            ]),
      ],
    }),
  });
  return {
    run: (name) => {
      commands[name](view);
      if (name !== 'openSearchPanel') view.focus();
    },
    destroy: () => view.destroy(),
  };
}
