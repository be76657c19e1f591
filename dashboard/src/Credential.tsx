import { Button, Center, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useState, type JSX } from 'react';
import { credential, setCredential, type Refusal } from './api.ts';

interface Props {
  readonly error: Refusal;
  /** Another one was given. */
  readonly entered: () => void;
}

/** Asks for a credential, which stays in this tab, and says what was wrong with the last one. */
export function Credential({ error, entered }: Props): JSX.Element {
  const [text, setText] = useState('');
  const isWrong = credential() !== '';
  return (
    <Center component="main" mih="100vh" p="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setCredential(text.trim());
          entered();
        }}
      >
        <Stack w={360} maw="100%">
          <Title order={1} size="h3">
            Dashboard
          </Title>
          <Text>Enter a token or an API key. It is kept in this tab only.</Text>
          <PasswordInput
            label="Token or API key"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoComplete="off"
            error={isWrong ? error.message : undefined}
            autoFocus
          />
          <Button type="submit" disabled={text.trim() === ''}>
            Open
          </Button>
        </Stack>
      </form>
    </Center>
  );
}
