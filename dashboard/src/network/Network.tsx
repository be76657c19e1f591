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
  Title,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type JSX } from 'react';
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
  const change = (resource: string | null) => (settings: Settings | null) =>
    changing.mutate({ resource, settings });
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
        key={keyOf(data.overall)}
        title="All resources"
        none="off"
        line={data.overall}
        isOff={!session.mayChange}
        change={change(null)}
      />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        {data.resources.map((line) => (
          <LineCard
            key={`${line.name} ${keyOf(line)}`}
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

/** A card begins anew when what the server says has changed. */
function keyOf({ source, settings }: Line): string {
  return JSON.stringify([source, settings]);
}

const longest = 5_000;
/** The steps of the slider, in bytes a second; 0 is no limit. */
const rates = [0, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7] as const;

interface CardProps {
  readonly title: string;
  /** What it means that nothing is set for it. */
  readonly none: string;
  readonly line: Line;
  readonly isOff: boolean;
  readonly change: (settings: Settings | null) => void;
}

function LineCard({ title, none, line, isOff, change }: CardProps): JSX.Element {
  const { settings, source } = line;
  const { min = 0, max = min } = settings.latency ?? {};
  const [latency, setLatency] = useState<[number, number]>([min, max]);
  const [errors, setErrors] = useState(Math.round((settings.errorRate ?? 0) * 100));
  const [rate, setRate] = useState(rateIndex(settings.throttling?.rate ?? 0));
  const send = (next: Partial<Settings>): void => {
    const { latency: wait, errorRate, throttling } = { ...settings, ...next };
    change({
      ...(wait === undefined || (wait.max ?? wait.min ?? 0) === 0
        ? {}
        : { latency: { min: wait.min ?? 0, max: wait.max ?? wait.min ?? 0 } }),
      ...(errorRate === undefined || errorRate === 0 ? {} : { errorRate }),
      ...(throttling === undefined || throttling.rate === 0 ? {} : { throttling }),
    });
  };
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
            onClick={() => change(null)}
          >
            Reset
          </Button>
        </Group>
      </Group>
      <Stack gap="xs">
        <Text size="sm">
          Latency: {latency[1] === 0 ? 'none' : `${latency[0]} to ${latency[1]} ms`}
        </Text>
        <RangeSlider
          value={latency}
          min={0}
          max={Math.max(longest, max)}
          step={10}
          minRange={0}
          disabled={isOff}
          label={null}
          onChange={setLatency}
          onChangeEnd={([from, to]) => send({ latency: { min: from, max: to } })}
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
          onChange={setErrors}
          onChangeEnd={(percent) => send({ errorRate: percent / 100 })}
          thumbLabel={`Error rate of ${title} in percent`}
        />
        <Text size="sm">Throttling: {rateText(rates[rate] ?? 0)}</Text>
        <Slider
          value={rate}
          min={0}
          max={rates.length - 1}
          disabled={isOff}
          label={null}
          onChange={setRate}
          onChangeEnd={(index) => send({ throttling: { rate: rates[index] ?? 0 } })}
          thumbLabel={`Throttling of ${title}`}
          thumbProps={{ 'aria-valuetext': rateText(rates[rate] ?? 0) }}
        />
      </Stack>
    </Card>
  );
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
