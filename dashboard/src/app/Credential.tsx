import { Button, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useState, type JSX } from 'react';
import { credential, setCredential, type Refusal } from '../api.ts';
import { Mark } from './Mark.tsx';

interface Props {
  /** What the credential is for. */
  readonly title?: string;
  /** Undefined: the credential is given unasked. */
  readonly error: Refusal | undefined;
  /** Another one was given. */
  readonly entered: () => void;
  /** Goes on without one. */
  readonly back?: () => void;
}

/** Asks for a credential, which stays in this tab, and says what was wrong with the last one. */
export function Credential({ title = 'Dashboard', error, entered, back }: Props): JSX.Element {
  const [text, setText] = useState('');
  const isWrong = credential() !== '';
  if (error?.status === 403 && !isWrong)
    return (
      <main className="login">
        <Paper withBorder p="lg" radius="lg" w={380} maw="100%" shadow="md">
          <Stack gap="md">
            <Mark size={32} />
            <Title order={1} size="h2">
              {title}
            </Title>
            <Text size="sm" role="alert">
              {error.message}
            </Text>
            <Text size="sm" c="dimmed">
              It opens the dashboard once, on the machine of the server. The terminal prints the
              next one then.
            </Text>
          </Stack>
        </Paper>
      </main>
    );
  return (
    <main className="login">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setCredential(text.trim());
          entered();
        }}
      >
        <Paper withBorder p="lg" radius="lg" w={380} maw="100%" shadow="md">
          <Stack gap="md">
            <Mark size={32} />
            <div>
              <Title order={1} size="h2">
                {title}
              </Title>
              <Text size="sm" c="dimmed" mt={4}>
                Enter a token or an API key. It is kept in this tab only.
              </Text>
            </div>
            <PasswordInput
              label="Token or API key"
              size="md"
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              autoComplete="off"
              error={isWrong ? error?.message : undefined}
              data-autofocus
              autoFocus
            />
            <Button type="submit" size="md" fullWidth disabled={text.trim() === ''}>
              Open
            </Button>
            {back === undefined ? null : (
              <Button size="md" fullWidth variant="subtle" onClick={back}>
                Back
              </Button>
            )}
          </Stack>
        </Paper>
      </form>
    </main>
  );
}
