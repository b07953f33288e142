// An account's quota usage, updated live.

import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { USAGE_WINDOWS, type UsageWindow, usageCsv, windowsOf } from '../../../core/limits/usage-view.ts';
import { download } from '../api.ts';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { Ago } from '../parts/text.tsx';
import { UsageChart } from '../parts/usage-chart.tsx';
import { useKeys, useUsage } from '../queries.ts';
import type { Usage } from '../shapes.ts';
import { localMinute, localTime, localTimeOfDay, timeZone, utcDayText } from '../times.ts';
import { Facts, Notice, Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { CHOICES, choiceOf, warningOf } from '../usage-history.ts';

/** The page with an account's usage. */
export function UsagePage() {
  const { accountId = '' } = useParams({ strict: false });
  const usage = useUsage(accountId);
  return (
    <Page title="Usage" description="All of an account's keys share its limits. Requests over the limit (429) don't count. Days begin at 00:00 UTC.">
      <Loaded of={usage}>
        {(data) => (
          <div className="stack large">
            <Warnings accountId={accountId} usage={data} />
            <Section title="Current minute and day">
              <Facts
                items={[
                  { label: 'Requests this minute', value: <Window name="Requests this minute" of={data.minute} /> },
                  { label: 'Requests today', value: <Window name="Requests today" of={data.day} /> },
                  { label: 'Refused today', value: <b className="figure">{(data.history.days.at(-1)?.refused ?? 0).toLocaleString()}</b> },
                ]}
              />
            </Section>
            <HistorySection usage={data} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Warnings({ accountId, usage: { bans, ...usage } }: { readonly accountId: string; readonly usage: Usage }) {
  const warning = warningOf(usage);
  const keys = useKeys(accountId, bans.length > 0).data;
  const nameOf = (keyId: string) => keys?.find((key) => key.keyId === keyId)?.name ?? keyId;
  const banned = bans.map(({ keyId, until }) => ({ keyId, header: `The key ${nameOf(keyId)} is banned until ${localTime(until)}` }));
  return (
    <>
      <div role="status" className="announcement">
        {[...banned.map(({ header }) => header), ...(warning === undefined ? [] : [warning.announcement])].map((text) => `${text}. `)}
      </div>
      {(banned.length > 0 || warning !== undefined) && (
        <div className="stack">
          {banned.map(({ keyId, header }) => (
            <Notice key={keyId} kind="error" title={header}>
              Its client kept sending requests after it was asked to wait (429). Make it wait as long as Retry-After says. You can lift the ban on the
              API keys page.
            </Notice>
          ))}
          {warning !== undefined && (
            <Notice kind={warning.severity} title={warning.header}>
              Requests over the limit are refused with 429 and Retry-After. A larger plan has higher limits. You can ask for it on the Plan page.
            </Notice>
          )}
        </div>
      )}
    </>
  );
}

function Window({ name, of: { used, limit, resetAt } }: { readonly name: string; readonly of: Usage['minute'] }) {
  return (
    <>
      <b className="figure">{`${used.toLocaleString()} of ${limit.toLocaleString()}`}</b>
      <progress aria-label={name} max={limit} value={Math.min(used, limit)} />
      <small className="muted">
        resets <Ago at={resetAt} isAhead each={1_000} />
      </small>
    </>
  );
}

function HistorySection({ usage }: { readonly usage: Usage }) {
  const search: { readonly window?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const choice = choiceOf(search.window);
  const windows = windowsOf(usage, choice);
  const { each, none } = CHOICES[choice];
  const isEmpty = windows.every(({ admitted, refused }) => admitted + refused === 0);
  return (
    <Section
      title="History"
      description={`${choice === 'month' ? 'Days are UTC, like quotas.' : `Times are in your time zone, ${timeZone()}.`} Refused requests can take up to a minute to appear.`}
      actions={
        <Button icon="download" onClick={() => download(`usage-${usage.accountId}-${choice}.csv`, 'text/csv', usageCsv(usage, [choice]))}>
          Download CSV
        </Button>
      }
    >
      <div className="stack large">
        <fieldset className="segments">
          <legend className="announcement">Time span</legend>
          {USAGE_WINDOWS.map((id) => (
            <label key={id}>
              <input
                type="radio"
                name="window"
                checked={id === choice}
                // Kept in the URL, so that it survives a reload and is part of links.
                onChange={() => void navigate({ to: '.', search: { window: id } as never, replace: true, resetScroll: false })}
              />
              <span>{CHOICES[id].label}</span>
            </label>
          ))}
        </fieldset>
        {isEmpty ? (
          <div className="center">{none}</div>
        ) : (
          <UsageChart windows={windows} each={each} timeText={TIME_TEXTS[choice]} limit={limitOf(usage, choice)} />
        )}
      </div>
    </Section>
  );
}

const TIME_TEXTS: Readonly<Record<UsageWindow, (iso: string) => string>> = { hour: localTimeOfDay, day: localMinute, month: utcDayText };

/** Returns the limit for the chosen windows; there are quotas per minute and per day, but not per hour. */
function limitOf({ minute, day }: Usage, choice: UsageWindow): number | undefined {
  return { hour: minute.limit, day: undefined, month: day.limit }[choice];
}
