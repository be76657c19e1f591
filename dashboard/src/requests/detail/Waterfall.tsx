import type { JSX } from 'react';
import type { RequestDetail } from '../../../../src/http/dashboard/wire.ts';
import { milliseconds } from '../../words.ts';
import { accountOf, kindTexts, type TimeKind, type TimeLine } from './time.ts';

/** Where the time of a request went: its shares, then each step with what ran in it. */
export function Waterfall({ request }: { readonly request: RequestDetail }): JSX.Element {
  const { total, lines, shares } = accountOf(request);
  const whole = Math.max(total, 0.01);
  const kinds = (Object.entries(shares) as [TimeKind, number][]).filter(([, time]) => time > 0);
  return (
    <>
      <div>
        <div className="shares" aria-hidden>
          {kinds.map(([kind, time]) => (
            <div key={kind} className={`k-${kind}`} style={{ width: `${(time / whole) * 100}%` }} />
          ))}
        </div>
        <ul className="share-list" aria-label="Shares of the time">
          {kinds.map(([kind, time]) => (
            <li key={kind}>
              <span className={`swatch k-${kind}`} aria-hidden />
              {kindTexts[kind]} {milliseconds(time)} ms
              <span className="quiet">{Math.round((time / whole) * 100)} %</span>
            </li>
          ))}
        </ul>
      </div>
      <table className="trace" aria-label="Trace">
        <colgroup>
          <col style={{ width: '42%' }} />
          <col />
          <col style={{ width: 64 }} />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">
              <span className="scale">
                <span>0</span>
                <span>{milliseconds(whole / 2)}</span>
                <span>{milliseconds(whole)} ms</span>
              </span>
            </th>
            <th scope="col" className="numeric">
              ms
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, index) => (
            <tr key={index} className={line.isInner ? 'inner' : undefined}>
              <td className="mono" title={line.name}>
                {line.name}
              </td>
              <td>
                <Lane line={line} whole={whole} />
              </td>
              <td className="numeric">{milliseconds(line.duration)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="quiet" style={{ fontSize: 12 }}>
        The steps add up to {milliseconds(total)} ms, which is all of the time.
      </p>
    </>
  );
}

function Lane({ line, whole }: { readonly line: TimeLine; readonly whole: number }): JSX.Element {
  const left = Math.min(99.5, (line.begin / whole) * 100);
  const width = Math.max(0, Math.min(100 - left, (line.duration / whole) * 100));
  return (
    <div className="lane" aria-hidden>
      <div className={`k-${line.kind}`} style={{ left: `${left}%`, width: `${width}%` }} />
    </div>
  );
}
