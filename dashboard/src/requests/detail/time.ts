import type { RequestDetail } from '../../../../src/http/dashboard/wire.ts';

/** What a part of the time of a request was spent on. */
export type TimeKind = 'own' | 'database' | 'wait' | 'network' | 'send';

export const kindTexts: Readonly<Record<TimeKind, string>> = {
  own: 'Plinth and own code',
  database: 'Database',
  wait: 'Waiting for its turn',
  network: 'Simulated network',
  send: 'Sending',
};

/** A line of the waterfall. Times in ms. */
export interface TimeLine {
  readonly name: string;
  readonly kind: TimeKind;
  /** Within the step before it. */
  readonly isInner: boolean;
  readonly begin: number;
  readonly duration: number;
}

export interface TimeAccount {
  readonly total: number;
  readonly lines: readonly TimeLine[];
  /** The shares of the total, which add up to it. */
  readonly shares: Readonly<Record<TimeKind, number>>;
}

const partTexts = {
  queue: 'waiting for admission',
  plan: 'planning a new query',
  sandbox: 'making or entering the sandbox',
  begin: 'waiting for the write transaction',
  commit: 'committing',
} as const;
const partKinds = {
  queue: 'wait',
  plan: 'own',
  sandbox: 'own',
  begin: 'wait',
  commit: 'database',
} as const;

interface Span {
  readonly begin: number;
  readonly duration: number;
}

const endOf = ({ begin, duration }: Span): number => begin + duration;

/**
 * All of the time of a request: its steps, within them statements and other parts, and what is left of each step as a line
 * of its own, so that nothing is unexplained.
 */
export function accountOf({
  steps = [],
  parts = [],
  statementList = [],
}: Pick<RequestDetail, 'steps' | 'parts' | 'statementList'>): TimeAccount {
  const shares: Record<TimeKind, number> = { own: 0, database: 0, wait: 0, network: 0, send: 0 };
  const lines: TimeLine[] = [];
  const inner: readonly TimeLine[] = [
    ...statementList.map((statement) => ({
      name: statement.sql,
      kind: 'database' as const,
      isInner: true,
      begin: statement.begin,
      duration: statement.duration,
    })),
    ...parts.map((part) => ({
      name: partTexts[part.kind],
      kind: partKinds[part.kind],
      isInner: true,
      begin: part.begin,
      duration: part.duration,
    })),
  ].toSorted((a, b) => a.begin - b.begin);
  for (const step of steps) {
    const kind = timeKindOf(step.stage);
    lines.push({
      name: step.stage,
      kind,
      isInner: false,
      begin: step.begin,
      duration: step.duration,
    });
    const own = inner.filter(
      ({ begin }) => begin >= step.begin - rounding && begin < endOf(step) - rounding / 2,
    );
    // What a read waits for, such as memory or the thread, comes before its first statement.
    const [first] = own;
    const before = isRead(step.stage) && first !== undefined ? first.begin - step.begin : 0;
    if (before >= rounding)
      lines.push({
        name: 'before the first statement',
        kind,
        isInner: true,
        begin: step.begin,
        duration: before,
      });
    // Statements that run at once count once.
    let covered = step.begin;
    for (const line of own) {
      lines.push(line);
      const end = Math.min(endOf(line), endOf(step));
      shares[line.kind] += Math.max(0, end - Math.max(covered, line.begin));
      covered = Math.max(covered, end);
    }
    const taken = union(own, step);
    const rest = Math.max(0, step.duration - taken);
    shares[kind] += rest;
    const left = before >= rounding ? rest - before : rest;
    if (own.length > 0 && left >= rounding)
      lines.push({
        name: restText(step.stage),
        kind,
        isInner: true,
        begin: covered === step.begin ? step.begin : endOf(step) - left,
        duration: left,
      });
  }
  const last = steps.at(-1);
  return { total: last === undefined ? 0 : endOf(last), lines, shares };
}

/** Times are told in hundredths of a ms. */
const rounding = 0.02;

function timeKindOf(stage: string): TimeKind {
  if (stage === 'network') return 'network';
  if (stage === 'send') return 'send';
  return stage === 'commit' ? 'database' : 'own';
}

function isRead(stage: string): boolean {
  return stage.startsWith('fetch_') || stage.startsWith('expand_');
}

function restText(stage: string): string {
  return isRead(stage) ? 'making records of rows' : 'the rest of the step';
}

/** How much of a step its parts cover together. */
function union(parts: readonly Span[], step: Span): number {
  let [covered, sum] = [step.begin, 0];
  for (const part of parts) {
    const end = Math.min(endOf(part), endOf(step));
    sum += Math.max(0, end - Math.max(covered, part.begin));
    covered = Math.max(covered, end);
  }
  return sum;
}
