import './network.css';
import { Alert, Badge, Loader, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useState, type JSX } from 'react';
import { askDashboard } from '../api.ts';
import { Code } from '../code/Code.tsx';
import { hashOf, useRoute } from '../route.ts';
import type { ViewProps } from '../view.ts';
import { useNetwork } from './data.ts';
import { summaryOf, yamlOf, type Line, type NetworkData, type Settings } from './settings.ts';
import { SettingsForm } from './SettingsForm.tsx';

interface Change {
  readonly resource: string | null;
  readonly settings: Settings | null;
}

/** Fewer resources are seen at once. */
const manyResources = 12;

/** The simulated network, of all resources and of each: a change holds from the next request on. */
export function Network({ session }: ViewProps): JSX.Element {
  const client = useQueryClient();
  const { part } = useRoute();
  const { data, error } = useNetwork();
  const changing = useMutation({
    mutationFn: (change: Change) =>
      askDashboard<NetworkData>('network', {
        method: 'PUT',
        headers: { 'content-type': 'application/json', 'x-dashboard-token': session.token },
        body: JSON.stringify(change),
      }),
    onSuccess: (next) => client.setQueryData(['network'], next),
  });
  if (data === undefined)
    return error === null ? (
      <Loader aria-label="Loading" />
    ) : (
      <Alert color="red" role="alert">
        {error.message}
      </Alert>
    );
  const own = data.resources.find(({ name }) => name === part);
  const change = (settings: Settings | null): Promise<unknown> =>
    changing.mutateAsync({ resource: own?.name ?? null, settings });
  return (
    <>
      <Title order={1}>Network</Title>
      <Text size="sm" className="quiet" mb="md">
        Slow requests down or let them fail, to see what your front end does. A change takes effect
        with the next request and is forgotten when the server stops.
      </Text>
      {session.mayChange ? null : (
        <Alert color="gray" mb="md">
          Changes are for the roles that &quot;debug&quot; names.
        </Alert>
      )}
      {changing.error === null ? null : (
        <Alert color="red" role="alert" mb="md">
          {changing.error.message}
        </Alert>
      )}
      <div className="network">
        <Lines data={data} chosen={own?.name ?? ''} />
        <div className="network-settings">
          <SettingsForm
            key={own?.name ?? ''}
            title={own?.name ?? 'All resources'}
            none={own === undefined ? 'off' : 'as all resources'}
            line={own ?? data.overall}
            isOff={!session.mayChange}
            change={change}
          />
          <section aria-label="As YAML" className="network-yaml">
            <Code text={yamlOf(data)} language="text" label="YAML">
              As YAML
            </Code>
          </section>
        </div>
      </div>
    </>
  );
}

interface LinesProps {
  readonly data: NetworkData;
  /** Empty: all resources. */
  readonly chosen: string;
}

/** All resources and each of them, with what is simulated for it. */
function Lines({ data, chosen }: LinesProps): JSX.Element {
  const [text, setText] = useState('');
  const word = text.trim().toLowerCase();
  const found = data.resources.filter(({ name }) => name.toLowerCase().includes(word));
  return (
    <nav className="network-lines" aria-label="Resources of the network">
      {data.resources.length >= manyResources ? (
        <TextInput
          size="xs"
          aria-label="Search"
          placeholder="Find a resource"
          leftSection={<Search size={14} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          mb={8}
        />
      ) : null}
      <ul>
        <LineItem name="" label="All resources" line={data.overall} chosen={chosen} />
        {found.map((line) => (
          <LineItem
            key={line.name}
            name={line.name}
            label={line.name}
            line={line}
            chosen={chosen}
          />
        ))}
      </ul>
    </nav>
  );
}

interface ItemProps {
  readonly name: string;
  readonly label: string;
  readonly line: Line;
  readonly chosen: string;
}

function LineItem({ name, label, line, chosen }: ItemProps): JSX.Element {
  return (
    <li>
      <a
        href={hashOf('network', name)}
        aria-current={name === chosen ? 'true' : undefined}
        data-set={line.source !== 'none'}
      >
        <span className="name">{label}</span>
        {line.source === 'none' ? null : (
          <Badge
            size="sm"
            variant="light"
            color={line.source === 'changed' ? 'orange' : 'gray'}
            tt="none"
            fw={500}
          >
            {summaryOf(line.settings)}
          </Badge>
        )}
      </a>
    </li>
  );
}
