import '@mantine/charts/styles.css';
import './overview.css';
import { AreaChart, LineChart } from '@mantine/charts';
import { Alert, Anchor, Loader, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { JSX } from 'react';
import { percentileOf } from '../../../src/observability/activity.ts';
import type { RowCounts } from '../../../src/http/dashboard/wire.ts';
import { askDashboard } from '../api.ts';
import type { ViewProps } from '../view.ts';
import { useLive } from '../live/live.ts';
import { hashOf } from '../route.ts';
import { clock, figure } from '../words.ts';
import { minuteOf, minuteTicks, roundTicks } from './axis.ts';
import { Development, MissingIndexes, Resources, SlowestRequests } from './Panels.tsx';

/** How long a span of activity is, in ms. */
const spanLength = 5_000;

/** Requests, latency, errors and time in the database of the last five minutes, and the records there are. */
export function Overview({ model, session }: ViewProps): JSX.Element {
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
    time: clock.format(now - (last - point.number) * spanLength),
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
    ['Requests per second', figure(rounded(sum('requests') / sum('seconds')))],
    ['Median latency', latency(0.5)],
    ['95th percentile', latency(0.95)],
    [
      'Errors 4xx and 5xx',
      `${sum('clientErrors')} and ${sum('serverErrors')}`,
      hashOf('requests', '', 'status=errors'),
    ],
    ['Time in the database', `${figure(sum('databaseTime') / sum('seconds'))} ms/s`],
  ] as const;
  const isEmpty = spans.every(({ requests }) => requests === 0);
  const common = {
    h: 170,
    data: points,
    dataKey: 'time',
    withDots: false,
    curveType: 'linear',
    gridAxis: 'xy',
    tickLine: 'xy',
    strokeDasharray: '0',
    strokeWidth: 1.5,
    gridProps: { syncWithTicks: true },
    xAxisProps: {
      interval: 0,
      ticks: [...minuteTicks(points.map(({ time }) => time))],
      tickFormatter: minuteOf,
    },
  } as const;
  const upTo = (...names: readonly (keyof Omit<(typeof points)[number], 'time'>)[]) => {
    const ticks = roundTicks(
      Math.max(0, ...points.flatMap((point) => names.map((name) => point[name] ?? 0))),
    );
    return { width: 44, interval: 0, ticks: [...ticks], domain: [0, ticks.at(-1) ?? 1] } as const;
  };
  return (
    <>
      <Title order={1}>Overview</Title>
      <Text size="sm" className="quiet" mb="md" style={{ whiteSpace: 'pre-line' }}>
        {model.description === null ? '' : `${model.description.trim()}\n`}
        The figures are of the last minute, the charts of the last five.
      </Text>
      <div className="figures">
        {numbers.map(([label, value, href]) => (
          <div key={label}>
            <span className="quiet">{label}</span>
            <strong>{href === undefined ? value : <a href={href}>{value}</a>}</strong>
          </div>
        ))}
      </div>
      {isEmpty ? (
        <Alert color="gray" mb="md" title="No requests yet">
          Send one, or look at the <Anchor href={hashOf('data')}>data</Anchor>.
        </Alert>
      ) : null}
      <div className="panels">
        <Figure
          title="Requests per second"
          series={[{ name: 'Requests/s', color: 'var(--focus)' }]}
        >
          {(series, chart) => (
            <AreaChart
              {...common}
              yAxisProps={upTo('Requests/s')}
              series={series}
              areaChartProps={chart}
            />
          )}
        </Figure>
        <Figure
          title="Latency (ms)"
          series={[
            { name: 'p50', color: 'var(--focus)' },
            { name: 'p95', color: 'var(--series-warm)' },
          ]}
        >
          {(series, chart) => (
            <LineChart
              {...common}
              yAxisProps={upTo('p50', 'p95')}
              series={series}
              lineChartProps={chart}
              withDots
              dotProps={{ r: 2 }}
            />
          )}
        </Figure>
        <Figure
          title="Errors per second"
          series={[
            { name: '4xx/s', color: 'var(--series-warm)' },
            { name: '5xx/s', color: 'var(--series-hot)' },
          ]}
        >
          {(series, chart) => (
            <LineChart
              {...common}
              yAxisProps={upTo('4xx/s', '5xx/s')}
              series={series}
              lineChartProps={chart}
            />
          )}
        </Figure>
        <Figure
          title="Time in the database (ms per second)"
          series={[{ name: 'Database ms/s', color: 'var(--sql)' }]}
        >
          {(series, chart) => (
            <AreaChart
              {...common}
              yAxisProps={upTo('Database ms/s')}
              series={series}
              areaChartProps={chart}
            />
          )}
        </Figure>
        <SlowestRequests />
        <div className="stack">
          <MissingIndexes session={session} />
          {session.mode === 'dev' ? <Development session={session} /> : null}
        </div>
      </div>
      <Resources model={model} counts={counts} />
    </>
  );
}

interface Series {
  readonly name: string;
  readonly color: string;
}

interface FigureProps {
  readonly title: string;
  readonly series: Series[];
  /** A chart, with the name that its curves have where arrow keys lead along them. */
  readonly children: (series: Series[], chart: ChartProps) => JSX.Element;
}

interface ChartProps {
  readonly title: string;
  readonly margin: { readonly top: number; readonly right: number };
}

/** A chart below its title, with a legend if it has several curves. */
function Figure({ title, series, children }: FigureProps): JSX.Element {
  return (
    <figure className="panel" aria-label={title}>
      <div className="figure-head">
        <h2>{title}</h2>
        {series.length < 2 ? null : (
          <ul className="legend">
            {series.map(({ name, color }) => (
              <li key={name}>
                <i style={{ background: color }} />
                {name}
              </li>
            ))}
          </ul>
        )}
      </div>
      {children(series, { title, margin: { top: 8, right: 12 } })}
    </figure>
  );
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
