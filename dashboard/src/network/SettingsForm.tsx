import {
  Badge,
  Button,
  Group,
  NumberInput,
  RangeSlider,
  Slider,
  Text,
  Title,
  Tooltip,
} from '@mantine/core';
import { useRef, useState, type JSX, type ReactNode } from 'react';
import { byteText } from '../words.ts';
import { presets, rateIndex, rates, sentOf, type Line, type Settings } from './settings.ts';

/** The end of the slider of latency, in ms; by number it may be longer. */
const longest = 5_000;
const longestByNumber = 60_000;

interface Props {
  readonly title: string;
  /** What it means that nothing is set for it. */
  readonly none: string;
  readonly line: Line;
  readonly isOff: boolean;
  readonly change: (settings: Settings | null) => Promise<unknown>;
}

/** The settings of one resource, or of all: presets, then each by number and slider. */
export function SettingsForm({ title, none, line, isOff, change }: Props): JSX.Element {
  const { source } = line;
  const { shown, move, send } = useSettings(line, change);
  const { min = 0, max = min } = shown.latency ?? {};
  const percent = Math.round((shown.errorRate ?? 0) * 100);
  const rate = shown.throttling?.rate ?? 0;
  const [status = 500, ...more] = (shown.errors ?? []).map((error) => error.status);
  const latencyOf = (from: number, to: number): Settings => ({
    latency: { min: Math.min(from, to), max: to },
  });
  const errorsOf = (next: number): Settings => ({ errorRate: next / 100 });
  const rateOf = (next: number): Settings => ({ throttling: { rate: next } });
  const sources = { changed: 'changed here', file: 'from the file', none };
  return (
    <section aria-label={title} className="network-form">
      <Group justify="space-between" mb={12}>
        <Title order={2} size="h3">
          {title}
        </Title>
        <Group gap={8}>
          <Badge
            variant="light"
            color={source === 'changed' ? 'orange' : 'gray'}
            tt="none"
            fw={500}
          >
            {sources[source]}
          </Badge>
          <Button
            size="xs"
            variant="default"
            disabled={isOff || source !== 'changed'}
            onClick={() => send(null)}
          >
            Reset
          </Button>
        </Group>
      </Group>
      <Group gap={8} mb={20} role="group" aria-label="Presets">
        {presets.map(({ name, hint, settings }) => (
          <Tooltip key={name} label={hint} position="bottom">
            <Button
              size="xs"
              variant={isAs(shown, settings) ? 'light' : 'default'}
              aria-pressed={isAs(shown, settings)}
              disabled={isOff}
              onClick={() => send(settings, true)}
            >
              {name}
            </Button>
          </Tooltip>
        ))}
      </Group>
      <Setting title="Latency" unit="ms" hint="Each request waits a time between these two.">
        <Amount
          label="Shortest latency in ms"
          value={min}
          most={longestByNumber}
          isOff={isOff}
          set={(next) => send(latencyOf(next, Math.max(next, max)))}
        />
        <span className="quiet">to</span>
        <Amount
          label="Longest latency in ms"
          value={max}
          most={longestByNumber}
          isOff={isOff}
          set={(next) => send(latencyOf(Math.min(min, next), next))}
        />
        <RangeSlider
          value={[min, max]}
          min={0}
          max={Math.max(longest, max)}
          step={10}
          minRange={0}
          disabled={isOff}
          label={null}
          onChange={([from, to]) => move(latencyOf(from, to))}
          onChangeEnd={([from, to]) => send(latencyOf(from, to))}
          thumbFromLabel={`Shortest latency of ${title} in ms`}
          thumbToLabel={`Longest latency of ${title} in ms`}
        />
      </Setting>
      <Setting title="Errors" unit="% of the requests" hint="They fail before anything is done.">
        <Amount
          label="Error rate in percent"
          value={percent}
          most={100}
          isOff={isOff}
          set={(next) => send(errorsOf(next))}
        />
        <span className="quiet">with status</span>
        <Amount
          label="Status of errors"
          value={status}
          least={400}
          most={599}
          isOff={isOff}
          set={(next) => send({ errors: [{ status: next }] })}
        />
        {more.length === 0 ? null : <span className="quiet">or {more.join(', ')}</span>}
        <Slider
          value={percent}
          min={0}
          max={100}
          disabled={isOff}
          label={null}
          onChange={(next) => move(errorsOf(next))}
          onChangeEnd={(next) => send(errorsOf(next))}
          thumbLabel={`Error rate of ${title} in percent`}
        />
      </Setting>
      <Setting title="Throttling" unit="bytes a second" hint="0 is no limit.">
        <Amount
          label="Bytes a second"
          value={rate}
          most={1e12}
          isOff={isOff}
          set={(next) => send(rateOf(next))}
        />
        <span className="quiet">{rate === 0 ? 'no limit' : `${byteText(rate)}/s`}</span>
        <Slider
          value={rateIndex(rate)}
          min={0}
          max={rates.length - 1}
          disabled={isOff}
          label={null}
          onChange={(index) => move(rateOf(rates[index] ?? 0))}
          onChangeEnd={(index) => send(rateOf(rates[index] ?? 0))}
          thumbLabel={`Throttling of ${title}`}
          thumbValueText={rate === 0 ? 'none' : `${byteText(rate)}/s`}
        />
      </Setting>
    </section>
  );
}

function isAs(one: Settings, other: Settings): boolean {
  return JSON.stringify(comparable(one)) === JSON.stringify(comparable(other));
}

function comparable(settings: Settings): unknown {
  const { errors, ...rest } = sentOf(settings);
  const statuses = errors?.map(({ status }) => status);
  return rest.errorRate === undefined ? rest : { ...rest, statuses };
}

interface SettingProps {
  readonly title: string;
  readonly unit: string;
  readonly hint: string;
  readonly children: ReactNode;
}

function Setting({ title, unit, hint, children }: SettingProps): JSX.Element {
  return (
    <fieldset className="setting">
      <legend>
        {title} <span className="quiet">{unit}</span>
      </legend>
      <div className="setting-inputs">{children}</div>
      <Text size="xs" className="quiet">
        {hint}
      </Text>
    </fieldset>
  );
}

interface AmountProps {
  readonly label: string;
  readonly value: number;
  readonly least?: number;
  readonly most: number;
  readonly isOff: boolean;
  readonly set: (value: number) => void;
}

/** A number that is sent when it was typed: with Enter, or when it is left. */
function Amount({ label, value, least = 0, most, isOff, set }: AmountProps): JSX.Element {
  const [draft, setDraft] = useState<number | string>();
  const take = (): void => {
    const next = Number(draft);
    setDraft(undefined);
    if (draft === undefined || draft === '' || !Number.isFinite(next)) return;
    const bounded = Math.round(Math.min(most, Math.max(least, next)));
    if (bounded !== value) set(bounded);
  };
  return (
    <NumberInput
      size="xs"
      aria-label={label}
      value={draft ?? value}
      onChange={setDraft}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take();
        if (event.key === 'Escape') setDraft(undefined);
      }}
      disabled={isOff}
      hideControls
      w={96}
    />
  );
}

/**
 * The settings as the form shows them: what is being moved stays as it is until the server has said that it has taken the
 * last of it. Changes go one after the other, and those that are past are left out.
 */
function useSettings(
  { settings }: Line,
  change: Props['change'],
): {
  readonly shown: Settings;
  readonly move: (next: Settings) => void;
  /** Null: what the file says. `isWhole`: in the place of all that is set. */
  readonly send: (next: Settings | null, isWhole?: boolean) => void;
} {
  const [draft, setDraft] = useState<Settings>();
  const turn = useRef(0);
  const queue = useRef(Promise.resolve());
  const shown = draft ?? settings;
  const move = (next: Settings): void => {
    turn.current += 1;
    setDraft({ ...shown, ...next });
  };
  const send = (next: Settings | null, isWhole = false): void => {
    turn.current += 1;
    const own = turn.current;
    const all = next === null ? null : isWhole ? next : { ...shown, ...next };
    if (all !== null) setDraft(all);
    const inTurn = async (): Promise<void> => {
      if (own !== turn.current) return;
      // What goes wrong is told above the form.
      await change(all === null ? null : sentOf(all)).catch(() => undefined);
      if (own === turn.current) setDraft(undefined);
    };
    queue.current = queue.current.then(inTurn);
  };
  return { shown, move, send };
}
