import { ActionIcon, Button, Collapse, Group, TextInput, Tooltip } from '@mantine/core';
import { ChevronDown, ChevronRight, RotateCw } from 'lucide-react';
import { lazy, Suspense, useState, type JSX } from 'react';
import { useEdited } from '../edited.ts';
import { useModel } from '../model.ts';
import type { Sendable } from '../requests/copy/commands.ts';

/** Loaded when it is first shown. */
const CopyCommands = lazy(async () => {
  const { CopyCommands: component } = await import('../requests/copy/CopyCommands.tsx');
  return { default: component };
});

interface Props {
  readonly url: string;
  readonly request: Sendable;
  readonly isFetching: boolean;
  readonly send: () => void;
  /** Gives what is wrong with it. */
  readonly changed: (url: string) => string | undefined;
}

const key = 'plinth-url-open';

/** The URL of the list: a line to read, unfolded a field to write, which the chips follow. */
export function UrlLine({ url, request, isFetching, send, changed }: Props): JSX.Element {
  const { data: model } = useModel();
  const [isOpen, setOpen] = useState(() => localStorage.getItem(key) === 'true');
  const [text, setText] = useEdited(url);
  const [problem, setProblem] = useEdited('', url);
  const toggle = (): void => {
    localStorage.setItem(key, String(!isOpen));
    setOpen(!isOpen);
  };
  return (
    <div className="url-line">
      <Group gap={2} wrap="nowrap">
        <button
          type="button"
          className="url-fold"
          aria-expanded={isOpen}
          title={url}
          onClick={toggle}
        >
          {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
          <span className="hidden">URL of the list: </span>
          <span className="verb">GET</span>
          <code className="name">{readable(url)}</code>
        </button>
        <Tooltip label="Send again">
          <ActionIcon size={26} aria-label="Send again" onClick={send} loading={isFetching}>
            <RotateCw size={14} />
          </ActionIcon>
        </Tooltip>
      </Group>
      <Collapse expanded={isOpen}>
        {isOpen ? (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              setProblem(changed(text.trim()) ?? '');
            }}
          >
            <Group gap={6} align="start" px={4} py={6}>
              <TextInput
                size="xs"
                aria-label="URL"
                value={text}
                onChange={(event) => setText(event.currentTarget.value)}
                error={problem === '' ? undefined : problem}
                spellCheck={false}
                classNames={{ input: 'mono' }}
                style={{ flex: '1 1 280px' }}
              />
              <Button size="xs" type="submit">
                Send
              </Button>
              <Suspense>
                {model === undefined ? null : <CopyCommands request={request} model={model} />}
              </Suspense>
            </Group>
          </form>
        ) : null}
      </Collapse>
    </div>
  );
}

/** A URL as it is read: escapes of letters that are harmless are the letters. */
function readable(url: string): string {
  try {
    return decodeURIComponent(url.replaceAll(/%(?![\dA-F]{2})/giu, '%25'));
  } catch {
    return url;
  }
}
