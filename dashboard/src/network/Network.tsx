import {
  Alert,
  Badge,
  Button,
  Card,
  Group,
  Loader,
  RangeSlider,
  SimpleGrid,
  Slider,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type JSX } from 'react';
import { askDashboard } from '../api.ts';
import type { ViewProps } from '../view.ts';
import { figure } from '../words.ts';

interface Settings {
  readonly latency?: { readonly min?: number; readonly max?: number };
  readonly errorRate?: number;
  readonly throttling?: { readonly rate: number };
}

interface Line {
  readonly source: 'changed' | 'file' | 'none';
  readonly settings: Settings;
}

interface NetworkData {
  readonly overall: Line;
  readonly resources: readonly (Line & { readonly name: string })[];
}

interface Change {
  readonly resource: string | null;
  readonly settings: Settings | null;
}

/** The simulated network, of all resources and of each: a change holds from the next request on. */
export function Network({ session }: ViewProps): JSX.Element {
  const client = useQueryClient();
  const [text, setText] = useState('');
  const { data, error } = useQuery({
    queryKey: ['network'],
    queryFn: () => askDashboard<NetworkData>('network'),
  });
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
  const word = text.trim().toLowerCase();
  const found = data.resources.filter(({ name }) => name.toLowerCase().includes(word));
  const change =
    (resource: string | null) =>
    (settings: Settings | null): Promise<unknown> =>
      changing.mutateAsync({ resource, settings });
  return (
    <Stack>
      <Title order={1} size="h2">
        Network
      </Title>
      <Text>
        What is set here takes effect with the next request and is forgotten when the server stops.
      </Text>
      {session.mayChange ? null : (
        <Alert color="gray">Changes are for the roles that &quot;debug&quot; names.</Alert>
      )}
      {changing.error === null ? null : (
        <Alert color="red" role="alert">
          {changing.error.message}
        </Alert>
      )}
      <LineCard
        title="All resources"
        none="off"
        line={data.overall}
        isOff={!session.mayChange}
        change={change(null)}
      />
      {data.resources.length > fewCards ? (
        <TextInput
          label="Search"
          placeholder="A resource"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maw={360}
        />
      ) : null}
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        {found.map((line) => (
          <LineCard
            key={line.name}
            title={line.name}
            none="as all resources"
            line={line}
            isOff={!session.mayChange}
            change={change(line.name)}
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

/** So many are found without a search. */
const fewCards = 8;
const longest = 5_000;
/** The steps of the slider, in bytes a second; 0 is no limit. */
const rates = [0, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7] as const;

interface CardProps {
  readonly title: string;
  /** What it means that nothing is set for it. */
  readonly none: string;
  readonly line: Line;
  readonly isOff: boolean;
  readonly change: (settings: Settings | null) => Promise<unknown>;
}

function LineCard({ title, none, line, isOff, change }: CardProps): JSX.Element {
  const { source } = line;
  const { shown, move, send } = useSettings(line, change);
  const { min = 0, max = min } = shown.latency ?? {};
  const errors = Math.round((shown.errorRate ?? 0) * 100);
  const rate = rateIndex(shown.throttling?.rate ?? 0);
  const latencyOf = ([from, to]: [number, number]): Settings => ({
    latency: { min: from, max: to },
  });
  const errorsOf = (percent: number): Settings => ({ errorRate: percent / 100 });
  const rateOf = (index: number): Settings => ({ throttling: { rate: rates[index] ?? 0 } });
  const sources = { changed: 'changed here', file: 'from the file', none };
  return (
    <Card withBorder component="section" aria-label={title}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {title}
        </Title>
        <Group gap="xs">
          <Badge variant="outline" color={source === 'changed' ? 'orange' : 'gray'} tt="none">
            {sources[source]}
          </Badge>
          <Button
            size="compact-sm"
            variant="default"
            disabled={isOff || source !== 'changed'}
            onClick={() => send(null)}
          >
            Reset
          </Button>
        </Group>
      </Group>
      <Stack gap="xs">
        <Text size="sm">Latency: {max === 0 ? 'none' : `${min} to ${max} ms`}</Text>
        <RangeSlider
          value={[min, max]}
          min={0}
          max={Math.max(longest, max)}
          step={10}
          minRange={0}
          disabled={isOff}
          label={null}
          onChange={(latency) => move(latencyOf(latency))}
          onChangeEnd={(latency) => send(latencyOf(latency))}
          thumbFromLabel={`Shortest latency of ${title} in ms`}
          thumbToLabel={`Longest latency of ${title} in ms`}
        />
        <Text size="sm">Errors: {errors} % of the requests</Text>
        <Slider
          value={errors}
          min={0}
          max={100}
          disabled={isOff}
          label={null}
          onChange={(percent) => move(errorsOf(percent))}
          onChangeEnd={(percent) => send(errorsOf(percent))}
          thumbLabel={`Error rate of ${title} in percent`}
        />
        <Text size="sm">Throttling: {rateText(rates[rate] ?? 0)}</Text>
        <Slider
          value={rate}
          min={0}
          max={rates.length - 1}
          disabled={isOff}
          label={null}
          onChange={(index) => move(rateOf(index))}
          onChangeEnd={(index) => send(rateOf(index))}
          thumbLabel={`Throttling of ${title}`}
          thumbValueText={rateText(rates[rate] ?? 0)}
        />
      </Stack>
    </Card>
  );
}

/**
 * The settings as the sliders show them: what is being moved stays as it is until the server has said that it has taken
 * the last of it. Changes go one after the other, and those that are past are left out.
 */
function useSettings(
  { settings }: Line,
  change: CardProps['change'],
): {
  readonly shown: Settings;
  readonly move: (next: Settings) => void;
  /** Null: what the file says. */
  readonly send: (next: Settings | null) => void;
} {
  const [draft, setDraft] = useState<Settings>();
  const turn = useRef(0);
  const queue = useRef(Promise.resolve());
  const shown = draft ?? settings;
  const move = (next: Settings): void => {
    turn.current += 1;
    setDraft({ ...shown, ...next });
  };
  const send = (next: Settings | null): void => {
    turn.current += 1;
    const own = turn.current;
    const all = next === null ? null : { ...shown, ...next };
    if (all !== null) setDraft(all);
    const inTurn = async (): Promise<void> => {
      if (own !== turn.current) return;
      // What goes wrong is told above the cards.
      await change(all === null ? null : sentOf(all)).catch(() => undefined);
      if (own === turn.current) setDraft(undefined);
    };
    queue.current = queue.current.then(inTurn);
  };
  return { shown, move, send };
}

/** What does nothing is not sent. */
function sentOf({ latency, errorRate, throttling }: Settings): Settings {
  const { min = 0, max = min } = latency ?? {};
  return {
    ...(max === 0 ? {} : { latency: { min, max } }),
    ...(errorRate === undefined || errorRate === 0 ? {} : { errorRate }),
    ...(throttling === undefined || throttling.rate === 0 ? {} : { throttling }),
  };
}

function rateIndex(rate: number): number {
  if (rate === 0) return 0;
  const index = rates.findIndex((one) => one >= rate);
  return index === -1 ? rates.length - 1 : index;
}

function rateText(rate: number): string {
  if (rate === 0) return 'none';
  return rate >= 1e6 ? `${figure(rate / 1e6)} MB/s` : `${figure(rate / 1e3)} kB/s`;
}
