import { byteText, figure } from '../words.ts';

export interface Settings {
  readonly latency?: { readonly min?: number; readonly max?: number };
  readonly errorRate?: number;
  readonly errors?: readonly { readonly status: number; readonly weight?: number }[];
  readonly throttling?: { readonly rate: number };
}

export interface Line {
  readonly source: 'changed' | 'file' | 'none';
  readonly settings: Settings;
}

export interface NetworkData {
  readonly overall: Line;
  readonly resources: readonly (Line & { readonly name: string })[];
}

export interface Preset {
  readonly name: string;
  readonly hint: string;
  readonly settings: Settings;
}

/** Lines as they are out there. */
export const presets: readonly Preset[] = [
  { name: 'Fast', hint: 'Nothing is simulated', settings: {} },
  {
    name: 'Slow 3G',
    hint: '2 s of latency, 50 kB/s',
    settings: { latency: { min: 2_000, max: 2_000 }, throttling: { rate: 50_000 } },
  },
  {
    name: 'Flaky',
    hint: '0.1 to 1.5 s of latency, one request of five fails',
    settings: {
      latency: { min: 100, max: 1_500 },
      errorRate: 0.2,
      errors: [{ status: 500 }, { status: 503 }],
    },
  },
  {
    name: 'Offline',
    hint: 'Every request fails with 503',
    settings: { errorRate: 1, errors: [{ status: 503 }] },
  },
];

/** Whether anything is done to requests. */
export function hasEffect({ latency, errorRate = 0, throttling }: Settings): boolean {
  return (latency?.max ?? latency?.min ?? 0) > 0 || errorRate > 0 || (throttling?.rate ?? 0) > 0;
}

/** Where anything is simulated: `all` or the names of resources. */
export function simulatedAt({ overall, resources }: NetworkData): readonly string[] {
  return [
    ...(hasEffect(overall.settings) ? ['all'] : []),
    ...resources.flatMap(({ name, source, settings }) =>
      source !== 'none' && hasEffect(settings) ? [name] : [],
    ),
  ];
}

/** The settings in a few words. */
export function summaryOf({ latency, errorRate = 0, errors, throttling }: Settings): string {
  const { min = 0, max = min } = latency ?? {};
  const statuses = (errors ?? [{ status: 500 }]).map(({ status }) => status).join('/');
  const told = [
    ...(max > 0 ? [min === max ? `${max} ms` : `${min}–${max} ms`] : []),
    ...(errorRate > 0 ? [`${figure(errorRate * 100)} % errors ${statuses}`] : []),
    ...(throttling === undefined || throttling.rate === 0
      ? []
      : [`${byteText(throttling.rate)}/s`]),
  ];
  return told.length === 0 ? 'nothing' : told.join(', ');
}

/** What does nothing is not sent. */
export function sentOf({ latency, errorRate, errors, throttling }: Settings): Settings {
  const { min = 0, max = min } = latency ?? {};
  return {
    ...(max === 0 ? {} : { latency: { min, max } }),
    ...(errorRate === undefined || errorRate === 0 ? {} : { errorRate }),
    ...(errors === undefined ? {} : { errors }),
    ...(throttling === undefined || throttling.rate === 0 ? {} : { throttling }),
  };
}

/** What was changed here, as it would be written in the file. */
export function yamlOf({ overall, resources }: NetworkData): string {
  const own = resources.filter(({ source }) => source !== 'none');
  const lines = [
    ...(overall.source === 'none' ? [] : networkLines(overall.settings, '')),
    ...(own.length === 0 ? [] : ['resources:']),
    ...own.flatMap(({ name, settings }) => [
      `  ${/^[\w-]+$/u.test(name) ? name : JSON.stringify(name)}:`,
      ...networkLines(settings, '    '),
    ]),
  ];
  return lines.length === 0 ? '# Nothing is simulated.' : lines.join('\n');
}

function networkLines(settings: Settings, indent: string): readonly string[] {
  const { latency, errorRate, errors, throttling } = sentOf(settings);
  const lines = [
    ...(latency === undefined ? [] : [`latency: { min: ${latency.min}, max: ${latency.max} }`]),
    ...(errorRate === undefined ? [] : [`errorRate: ${errorRate}`]),
    ...(errors === undefined || errorRate === undefined
      ? []
      : [
          `errors: [${errors
            .map(({ status, weight = 1 }) =>
              weight === 1 ? `{ status: ${status} }` : `{ status: ${status}, weight: ${weight} }`,
            )
            .join(', ')}]`,
        ]),
    ...(throttling === undefined ? [] : [`throttling: { rate: ${throttling.rate} }`]),
  ];
  if (lines.length === 0) return [`${indent}network: {}`];
  return [`${indent}network:`, ...lines.map((line) => `${indent}  ${line}`)];
}

/** The steps of the slider of throttling, in bytes a second; 0 is no limit. */
export const rates = [0, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7] as const;

export function rateIndex(rate: number): number {
  if (rate === 0) return 0;
  const index = rates.findIndex((one) => one >= rate);
  return index === -1 ? rates.length - 1 : index;
}
