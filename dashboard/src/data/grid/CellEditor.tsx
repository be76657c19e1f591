import { useLayoutEffect, useRef, useState, type JSX, type KeyboardEvent } from 'react';
import { hasMenuOpen, isAtChoice } from '../../focus.ts';
import type { FieldInfo, Model } from '../../../../src/http/dashboard/wire-model.ts';
import { brief, shown } from '../../words.ts';
import { memberOf, readDraft, type ApiRecord } from '../record/draft.ts';
import { RecordPicker } from '../record/inputs/RecordPicker.tsx';
import { isJson, nullChoice, type CellRefusal, type CellWrite, type Step } from './cell-text.ts';
import type { Column } from './columns.ts';

interface Props {
  readonly model: Model;
  readonly column: Column | undefined;
  readonly record: ApiRecord;
  readonly text: string;
  readonly typed: (text: string) => void;
  readonly write: CellWrite;
  readonly reload: () => void;
  readonly ended: (step: Step) => void;
}

/** Parses text as a form draft does. Gives its value, or a message why it has none. */
function valueOf(
  field: FieldInfo,
  text: string,
  old: unknown,
): { readonly value: unknown } | { readonly message: string } {
  if (text === nullChoice) return { value: null };
  if (text === '' && (old === null || (field.isNullable && !takesText(field))))
    return { value: null };
  if (isJson(field)) {
    try {
      return { value: JSON.parse(text) as unknown };
    } catch {
      return { message: 'This is not valid JSON.' };
    }
  }
  const problems = new Map<string, string>();
  const isMoment = field.type === 'datetime' && text.endsWith('Z');
  const draft = { kind: 'text', text: isMoment ? text.slice(0, -1) : text } as const;
  const value = readDraft(field, draft, field.name, problems);
  const message = problems.get(field.name);
  return message === undefined ? { value } : { message };
}

function takesText({ type }: FieldInfo): boolean {
  return type === 'string' || type === 'text';
}

/** Edits one cell in its place: Enter and Tab save and go on, Escape leaves it as it was. */
export function CellEditor(props: Props): JSX.Element | null {
  const { model, column, record, text, typed, write, reload, ended } = props;
  const [refusal, setRefusal] = useState<CellRefusal>();
  const [isSaving, setSaving] = useState(false);
  // Decided once: another input in its place would lose the focus.
  const [wasLong] = useState(text.length > 60 || text.includes('\n'));
  const box = useRef<HTMLDivElement>(null);
  /** Whether it was left. The focus goes back to the grid then, which is no click elsewhere and saves nothing. */
  const hasEnded = useRef(false);
  const end = (step: Step): void => {
    hasEnded.current = true;
    ended(step);
  };
  // Before the first paint, so that keys pressed at once reach the editor.
  useLayoutEffect(() => {
    const input = box.current?.querySelector<HTMLElement>('input, select, textarea');
    input?.focus();
    if (
      input instanceof HTMLTextAreaElement ||
      (input instanceof HTMLInputElement && input.type === 'text')
    )
      input.setSelectionRange(input.value.length, input.value.length);
  }, []);
  const field = column?.field;
  if (field === undefined) return null;
  const old = memberOf(record, field.name);
  const save = async (step: Step, isForced = false): Promise<void> => {
    if (isSaving || hasEnded.current) return;
    const read = valueOf(field, text, old);
    if ('message' in read) {
      setRefusal({ kind: 'wrong', message: read.message });
      return;
    }
    if (!isForced && JSON.stringify(read.value) === JSON.stringify(old)) {
      end(step);
      return;
    }
    setSaving(true);
    const refused = await write(record, field, read.value, isForced);
    setSaving(false);
    if (refused === undefined) end(step);
    else {
      setRefusal(refused);
      box.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    }
  };
  /** Leaves the cell as it is; if somebody else has changed it, it is shown as they left it. */
  const leave = (): void => {
    if (refusal?.kind === 'changed') reload();
    end('stay');
  };
  const keys = (event: KeyboardEvent<HTMLDivElement>): void => {
    const { key, shiftKey, target } = event;
    if (target instanceof HTMLButtonElement && key === 'Enter') return;
    if (key === 'Escape' && hasMenuOpen(target)) return;
    if (key === 'Enter' && isAtChoice(target)) return;
    if (key === 'Escape') {
      event.preventDefault();
      leave();
    } else if (key === 'Tab' && refusal?.kind !== 'changed') {
      event.preventDefault();
      void save(shiftKey ? 'left' : 'right');
    } else if (key === 'Enter' && !(shiftKey && target instanceof HTMLTextAreaElement)) {
      event.preventDefault();
      void save('down');
    }
  };
  const change = (next: string): void => {
    typed(next);
    setRefusal(undefined);
  };
  const isWrong = refusal !== undefined;
  const common = {
    'aria-label': field.name,
    'aria-invalid': isWrong,
    'aria-describedby': isWrong ? 'cell-refusal' : undefined,
    'aria-busy': isSaving,
    value: text,
  };
  const choices = field.type === 'boolean' ? ['true', 'false'] : field.values?.map(String);
  const isLong = isJson(field) || field.type === 'text' || wasLong;
  return (
    <div
      ref={box}
      className="cell-editor"
      onKeyDownCapture={keys}
      // The grid has its own use for them.
      onKeyDown={(event) => event.stopPropagation()}
      onBlur={(event) => {
        // A click elsewhere saves, as in any sheet; what is refused stays.
        if (
          !event.currentTarget.contains(event.relatedTarget) &&
          !isSaving &&
          refusal === undefined
        )
          void save('stay');
      }}
    >
      {choices !== undefined ? (
        <select {...common} onChange={(event) => change(event.currentTarget.value)}>
          {field.isNullable || text === nullChoice ? (
            <option value={nullChoice}>null</option>
          ) : null}
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : field.reference !== undefined ? (
        <RecordPicker
          model={model}
          reference={field.reference}
          value={text}
          changed={change}
          aria-label={field.name}
          comboboxProps={{ withinPortal: true, width: 280, position: 'bottom-start' }}
          onOptionSubmit={() => undefined}
          selectFirstOptionOnChange={false}
        />
      ) : isLong ? (
        <textarea
          {...common}
          className={isJson(field) ? 'mono' : undefined}
          rows={Math.min(12, Math.max(3, text.split('\n').length + 1))}
          spellCheck={!isJson(field)}
          onChange={(event) => change(event.currentTarget.value)}
        />
      ) : (
        <input
          {...common}
          type={field.type === 'date' ? 'date' : 'text'}
          inputMode={/^(?:integer|number|decimal)$/u.test(field.type) ? 'decimal' : undefined}
          placeholder={old === null ? 'null' : undefined}
          autoComplete="off"
          onChange={(event) => change(event.currentTarget.value)}
        />
      )}
      {refusal === undefined ? null : (
        <div className="cell-refusal" role="alert" id="cell-refusal">
          {refusal.kind === 'wrong' ? (
            refusal.message
          ) : (
            <>
              <p>
                It was changed meanwhile, to <strong>{brief(shown(refusal.theirs))}</strong>.
              </p>
              <button type="button" onClick={leave}>
                Keep theirs
              </button>
              <button type="button" onClick={() => void save('down', true)}>
                Save mine
              </button>
            </>
          )}
        </div>
      )}
    </div>
  );
}
