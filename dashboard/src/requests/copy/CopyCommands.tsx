import { Button, Menu } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { ChevronDown, Copy } from 'lucide-react';
import type { JSX } from 'react';
import type { Model } from '../../../../src/http/dashboard/wire-model.ts';
import { mount } from '../../mount.ts';
import { asClientCall } from './client-call.ts';
import { asCurl, asFetch, type Sendable } from './commands.ts';

interface Props {
  readonly request: Sendable;
  readonly model: Model;
}

/** Copies a request as a command for others, without its credential. */
export function CopyCommands({ request, model }: Props): JSX.Element {
  const { copied, copy } = useClipboard();
  const { origin } = location;
  const call = asClientCall(request, model, origin + mount);
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<Copy size={14} aria-hidden />}
          rightSection={<ChevronDown size={14} aria-hidden />}
        >
          {copied ? 'Copied' : 'Copy as'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => copy(asCurl(request, origin))}>curl</Menu.Item>
        <Menu.Item onClick={() => copy(asFetch(request, origin))}>fetch</Menu.Item>
        <Menu.Item disabled={call === undefined} onClick={() => copy(call)}>
          typed client
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
