import '@mantine/charts/styles.css';
import { AreaChart, LineChart } from '@mantine/charts';
import {
  Alert,
  Anchor,
  Card,
  Group,
  Loader,
  SimpleGrid,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { JSX } from 'react';
import { percentileOf } from '../../../src/observability/activity.ts';
import type { RowCounts } from '../../../src/http/dashboard/wire.ts';
import { askDashboard } from '../api.ts';
import type { ViewProps } from '../view.ts';
import { useLive } from '../live/live.ts';
import { errors } from '../requests/rows.ts';
import { hashOf } from '../route.ts';
import { figure } from '../words.ts';

/** How long a span of activity is, in ms. */
const spanLength = 5_000;

/** Requests, latency, errors and time in the database of the last five minutes, and the records there are. */
export function Overview({ model }: ViewProps): JSX.Element {
  const spans = useLive((live) => live.points);
  const { data: counts } = useQuery({
    queryKey: ['rows'],
    queryFn: () => askDashboard<RowCounts>('rows'),
    refetchInterval: 10_000,
  });
  if (spans === undefined) return <Loader aria-label="Loading" />;
  const last = spans.at(-1)?.number ?? 0;
  const now = Date.now();
  const points = spans.map((point) => ({
    time: new Date(now - (last - point.number) * spanLength).toLocaleTimeString(),
    'Requests/s': rounded(point.requests / point.seconds),
    p50: point.p50 === undefined ? null : rounded(point.p50),
    p95: point.p95 === undefined ? null : rounded(point.p95),
    '4xx/s': rounded(point.clientErrors / point.seconds),
    '5xx/s': rounded(point.serverErrors / point.seconds),
    'Database ms/s': rounded(point.databaseTime / point.seconds),
  }));
  const recent = spans.slice(-12);
  const sum = (name: 'requests' | 'clientErrors' | 'serverErrors' | 'seconds' | 'databaseTime') =>
    recent.reduce((total, point) => total + point[name], 0);
  const latency = (part: number): string => {
    const found = percentileOf(recent, part);
    return found === undefined ? '–' : `${figure(found)} ms`;
  };
  const numbers = [
    ['Requests per second', figure(sum('requests') / sum('seconds'))],
    ['Median latency', latency(0.5)],
    ['95 % faster than', latency(0.95)],
    [
      'Errors 4xx and 5xx',
      `${sum('clientErrors')} and ${sum('serverErrors')}`,
      hashOf('requests', '', `status=${errors}`),
    ],
    ['Time in the database', `${figure(sum('databaseTime') / sum('seconds'))} ms/s`],
  ] as const;
  const isEmpty = spans.every(({ requests }) => requests === 0);
  const common = {
    h: 180,
    data: points,
    dataKey: 'time',
    withDots: false,
    curveType: 'linear',
  } as const;
  const axis = {
    xAxisProps: { minTickGap: 40, interval: 'equidistantPreserveStart' },
    yAxisProps: { width: 48 },
  } as const;
  return (
    <Stack>
      <Title order={1} size="h2">
        Overview
      </Title>
      {model.description === null ? null : (
        <Text style={{ whiteSpace: 'pre-line' }}>{model.description.trim()}</Text>
      )}
      <SimpleGrid cols={{ base: 2, md: 5 }}>
        {numbers.map(([label, value, href]) => (
          <Card key={label} withBorder padding="sm">
            <Text size="sm" className="quiet">
              {label}
            </Text>
            <Text fw={600} size="lg">
              {href === undefined ? value : <Anchor href={href}>{value}</Anchor>}
            </Text>
          </Card>
        ))}
      </SimpleGrid>
      <Text size="sm" className="quiet">
        The figures are of the last minute, the charts of the last five.
      </Text>
      {isEmpty ? (
        <Alert color="gray" title="No requests yet">
          Send one, or open the <Anchor href={hashOf('data')}>data</Anchor>.
        </Alert>
      ) : null}
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Figure title="Requests per second">
          {(named) => (
            <AreaChart
              {...common}
              {...axis}
              areaChartProps={named}
              series={[{ name: 'Requests/s', color: 'indigo.6' }]}
            />
          )}
        </Figure>
        <Figure title="Latency (ms)">
          {(named) => (
            <LineChart
              {...common}
              {...axis}
              lineChartProps={named}
              withLegend
              connectNulls
              withDots
              dotProps={{ r: 2 }}
              series={[
                { name: 'p50', color: 'teal.7' },
                { name: 'p95', color: 'var(--series-warm)' },
              ]}
            />
          )}
        </Figure>
        <Figure title="Errors per second">
          {(named) => (
            <LineChart
              {...common}
              {...axis}
              lineChartProps={named}
              withLegend
              series={[
                { name: '4xx/s', color: 'var(--series-warm)' },
                { name: '5xx/s', color: 'var(--series-hot)' },
              ]}
            />
          )}
        </Figure>
        <Figure title="Time in the database (ms per second)">
          {(named) => (
            <AreaChart
              {...common}
              {...axis}
              areaChartProps={named}
              series={[{ name: 'Database ms/s', color: 'grape.6' }]}
            />
          )}
        </Figure>
      </SimpleGrid>
      <Card withBorder component="section" aria-label="Resources">
        <Title order={2} size="h4" mb="xs">
          Resources
        </Title>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Resource</Table.Th>
              <Table.Th>What may be done</Table.Th>
              <Table.Th className="numeric">Records</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {model.resources.map(({ name, operations }) => (
              <Table.Tr key={name}>
                <Table.Td>
                  <Anchor href={hashOf('data', name)}>{name}</Anchor>
                </Table.Td>
                <Table.Td>{operations.join(', ')}</Table.Td>
                <Table.Td className="numeric">
                  {rowsText(counts?.rows[name], counts?.countedRows)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Card>
    </Stack>
  );
}

interface FigureProps {
  readonly title: string;
  /** A chart, with the name that its curves have where arrow keys lead along them. */
  readonly children: (named: { readonly title: string }) => JSX.Element;
}

function Figure({ title, children }: FigureProps): JSX.Element {
  return (
    <Card withBorder component="figure" m={0} aria-label={title}>
      <Group mb="xs">
        <Title order={2} size="h5">
          {title}
        </Title>
      </Group>
      {children({ title })}
    </Card>
  );
}

function rowsText(count: number | null | undefined, counted: number | undefined): string {
  if (count === undefined || count === null) return '–';
  return `${count.toLocaleString()}${count === counted ? '+' : ''}`;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
