// Requests by window as bars in CSS: admitted ones above the base line, refused ones hatched below it, so that nothing depends on color.

import './usage-chart.css';
import { useNarrow } from '../narrow.ts';
import { type Scale, scaleOf, totalsOf, type Windows } from '../usage-history.ts';
import { ItemTable } from './item-table.tsx';

export interface UsageChartProps {
  readonly windows: Windows;
  /** The window that each bar represents: `minute`, `hour` or `day`. */
  readonly each: string;
  /** Returns a window's time, as shown. @param startsAt ISO 8601 */
  readonly timeText: (startsAt: string) => string;
  /** The plan's limit on requests in a window. Undefined if there is none. */
  readonly limit: number | undefined;
}

/** The chart with its legend, and a table of the same numbers. */
export function UsageChart({ windows, each, timeText, limit }: UsageChartProps) {
  const { admitted, refused } = totalsOf(windows);
  const scale = scaleOf(windows, limit);
  const summary = `Requests per ${each}: ${admitted.toLocaleString()} admitted, ${refused.toLocaleString()} refused. The table below has all numbers.`;
  return (
    <figure className="usage-chart">
      <ul className="legend">
        <li>
          <span className="swatch admitted" aria-hidden="true" /> Admitted: <b>{admitted.toLocaleString()}</b>
        </li>
        <li>
          <span className="swatch refused" aria-hidden="true" /> Refused (429): <b>{refused.toLocaleString()}</b>
        </li>
        {scale.limit !== undefined && (
          <li>
            <span className="swatch limit" aria-hidden="true" /> Plan limit: {`${scale.limit.toLocaleString()} a ${each}`}
          </li>
        )}
      </ul>
      <div role="img" aria-label={summary} className="plot">
        <Axis scale={scale} />
        <div className="bars">
          {windows.map(({ startsAt, ...counts }) => (
            <Bar key={startsAt} {...counts} scale={scale} text={timeText(startsAt)} />
          ))}
          <div className="base" style={{ bottom: share(scale.below, scale) }} />
          {scale.limit !== undefined && <div className="limit" style={{ bottom: share(scale.below + scale.limit, scale) }} />}
        </div>
        <Times windows={windows} timeText={timeText} />
      </div>
      <details>
        <summary>{`Table of requests per ${each}`}</summary>
        <Numbers windows={windows.toReversed()} each={each} timeText={timeText} />
      </details>
    </figure>
  );
}

/** The numbers, newest first. On a phone, each window takes several lines, so those without requests are left out. */
function Numbers({ windows, each, timeText }: Pick<UsageChartProps, 'windows' | 'each' | 'timeText'>) {
  const used = windows.filter(({ admitted, refused }) => admitted + refused > 0);
  return (
    <ItemTable
      plain
      title={`Requests per ${each}`}
      items={useNarrow() ? used : windows}
      id={({ startsAt }) => startsAt}
      columns={[
        { header: each === 'day' ? 'Day (UTC)' : 'From', cell: ({ startsAt }) => timeText(startsAt) },
        { header: 'Admitted', cell: ({ admitted }) => admitted.toLocaleString() },
        { header: 'Refused', cell: ({ refused }) => refused.toLocaleString() },
      ]}
      empty="None."
    />
  );
}

interface BarProps {
  readonly admitted: number;
  readonly refused: number;
  readonly scale: Scale;
  readonly text: string;
}

function Bar({ admitted, refused, scale, text }: BarProps) {
  return (
    <div className="bar" title={`${text}: ${admitted.toLocaleString()} admitted, ${refused.toLocaleString()} refused`}>
      {admitted > 0 && <div className="admitted" style={{ bottom: share(scale.below, scale), height: share(admitted, scale) }} />}
      {refused > 0 && <div className="refused" style={{ top: share(scale.above, scale), height: share(refused, scale) }} />}
    </div>
  );
}

function Axis({ scale: { above, below } }: { readonly scale: Scale }) {
  return (
    <div className="axis">
      <div style={{ flex: above }}>
        <span>{above.toLocaleString()}</span>
        <span>0</span>
      </div>
      {below > 0 && (
        <div style={{ flex: below, justifyContent: 'end' }}>
          <span>{below.toLocaleString()}</span>
        </div>
      )}
    </div>
  );
}

function Times({ windows, timeText }: Pick<UsageChartProps, 'windows' | 'timeText'>) {
  const shown = [windows[0], windows[Math.floor(windows.length / 2)], windows.at(-1)].filter((window) => window !== undefined);
  return (
    <div className="times">
      {shown.map(({ startsAt }) => (
        <span key={startsAt}>{timeText(startsAt)}</span>
      ))}
    </div>
  );
}

function share(requests: number, { above, below }: Scale): string {
  return `${(100 * requests) / (above + below)}%`;
}
