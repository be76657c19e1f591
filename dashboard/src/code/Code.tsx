import './code.css';
import { ActionIcon, CopyButton, Group } from '@mantine/core';
import { Check, ChevronsDownUp, ChevronsUpDown, Copy, Search } from 'lucide-react';
import { useEffect, useRef, useState, type JSX, type ReactNode } from 'react';
import type { Editor } from './editor.ts';
import { formatted } from './format.ts';

interface Props {
  readonly text: string;
  readonly language: 'json' | 'text';
  readonly label: string;
  readonly changed?: (text: string) => void;
  /** Stands before the buttons. */
  readonly children?: ReactNode;
}

/** A text in colours, which is folded, searched and copied; or edited. The editor is loaded with the first of them. */
export function Code({ text, language, label, changed, children }: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<Editor>();
  const isRead = changed === undefined;
  const told = useRef(changed);
  useEffect(() => {
    told.current = changed;
  });
  // An editor keeps its own text: only one that is read is made anew with another.
  const key = isRead ? text : '';
  const first = useRef(text);
  useEffect(() => {
    let made: Editor | undefined;
    let isOver = false;
    const begin = async (): Promise<void> => {
      const { mountEditor } = await import('./editor.ts');
      if (isOver || box.current === null) return;
      made = mountEditor(box.current, {
        text: isRead ? (language === 'json' ? formatted(text) : text) : first.current,
        language,
        label,
        changed: isRead ? undefined : (next) => told.current?.(next),
      });
      setView(made);
    };
    void begin();
    return () => {
      isOver = true;
      made?.destroy();
      setView(undefined);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `key` is the text where it counts
  }, [key, language, label, isRead]);
  const run = (name: Parameters<Editor['run']>[0]): void => view?.run(name);
  return (
    <div className="code">
      <Group gap={4} mb={4} wrap="nowrap">
        <div className="code-title">{children}</div>
        {language === 'json' ? (
          <>
            <Tool label="Fold all" icon={<ChevronsDownUp size={14} />} act={() => run('foldAll')} />
            <Tool
              label="Unfold all"
              icon={<ChevronsUpDown size={14} />}
              act={() => run('unfoldAll')}
            />
          </>
        ) : null}
        <Tool label="Search" icon={<Search size={14} />} act={() => run('openSearchPanel')} />
        <CopyButton value={isRead && language === 'json' ? formatted(text) : text}>
          {({ copied, copy }) => (
            <Tool
              label={copied ? 'Copied' : 'Copy'}
              icon={copied ? <Check size={14} /> : <Copy size={14} />}
              act={copy}
            />
          )}
        </CopyButton>
      </Group>
      <div ref={box} className={isRead ? 'code-box' : 'code-box edited'}>
        {view === undefined ? (
          <pre className="block" tabIndex={0}>
            {text}
          </pre>
        ) : null}
      </div>
    </div>
  );
}

interface ToolProps {
  readonly label: string;
  readonly icon: JSX.Element;
  readonly act: () => void;
}

function Tool({ label, icon, act }: ToolProps): JSX.Element {
  return (
    <ActionIcon
      size={24}
      variant="subtle"
      color="gray"
      aria-label={label}
      title={label}
      onClick={act}
    >
      {icon}
    </ActionIcon>
  );
}
