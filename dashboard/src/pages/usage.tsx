// An account's quota usage, updated live.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { USAGE_WINDOWS, type UsageWindow, usageCsv, windowsOf } from '../../../core/limits/usage-csv.ts';
import { download } from '../parts/download.ts';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { localMinute, localTime, localTimeOfDay, timeZone, utcDayText } from '../parts/text.tsx';
import { UsageChart } from '../parts/usage-chart.tsx';
import { useKeyName, useMe, useUsage } from '../queries.ts';
import type { Usage } from '../shapes.ts';
import { CHOICES, choiceOf, warningOf } from '../usage-history.ts';

/** The page with an account's usage. */
export function UsagePage() {
  const { accountId = '' } = useParams({ strict: false });
  const usage = useUsage(accountId);
  const plans = useMe().data?.platform.plans;
  return (
    <Page title="Usage" description="All of an account's keys share its limits. Refused requests don't count. Days begin at 00:00 UTC.">
      <Loaded of={usage}>
        {(data) => (
          <SpaceBetween size="l">
            <Warnings accountId={accountId} usage={data} />
            <Container header={<Header variant="h2">Current minute and day</Header>}>
              <SpaceBetween size="l">
                <KeyValuePairs
                  columns={4}
                  items={[
                    { label: 'Plan', value: plans?.find(({ plan }) => plan === data.plan)?.label ?? data.plan },
                    { label: 'Minute resets at', value: localTime(data.minute.resetAt) },
                    { label: 'Day resets at', value: localTime(data.day.resetAt) },
                    { label: 'Refused today', value: (data.history.days.at(-1)?.refused ?? 0).toLocaleString() },
                  ]}
                />
                <Window name="Requests this minute" of={data.minute} />
                <Window name="Requests today" of={data.day} />
              </SpaceBetween>
            </Container>
            <HistorySection usage={data} />
          </SpaceBetween>
        )}
      </Loaded>
    </Page>
  );
}

function Warnings({ accountId, usage: { bans, ...usage } }: { readonly accountId: string; readonly usage: Usage }) {
  const warning = warningOf(usage);
  const nameOf = useKeyName(accountId, bans.length > 0);
  const banned = bans.map(({ keyId, until }) => ({ keyId, header: `The key ${nameOf(keyId)} is banned until ${localTime(until)}` }));
  return (
    <>
      <div role="status" className="announcement">
        {[...banned.map(({ header }) => header), ...(warning === undefined ? [] : [warning.announcement])].map((text) => `${text}. `)}
      </div>
      {(banned.length > 0 || warning !== undefined) && (
        <SpaceBetween size="xs">
          {banned.map(({ keyId, header }) => (
            <Alert key={keyId} type="error" header={header}>
              Its client kept sending requests after it was asked to wait (429). Make it wait as long as Retry-After says. You can lift the ban on the
              API keys page.
            </Alert>
          ))}
          {warning !== undefined && (
            <Alert type={warning.severity} header={warning.header}>
              Requests over the limit are refused with 429 and Retry-After. A larger plan has higher limits. The operator can change your plan.
            </Alert>
          )}
        </SpaceBetween>
      )}
    </>
  );
}

function Window({ name, of: { used, limit } }: { readonly name: string; readonly of: Usage['minute'] }) {
  return (
    <ProgressBar label={name} value={Math.min(100, (100 * used) / limit)} additionalInfo={`${used.toLocaleString()} of ${limit.toLocaleString()}`} />
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
    <Container
      header={
        <Header
          variant="h2"
          description={`${choice === 'month' ? 'Days are UTC days, as for quotas.' : `Times are in your time zone, ${timeZone()}.`} Refusals are reported up to a minute later.`}
          actions={
            <Button iconName="download" onClick={() => download(`usage-${usage.accountId}-${choice}.csv`, 'text/csv', usageCsv(usage, [choice]))}>
              Download CSV
            </Button>
          }
        >
          History
        </Header>
      }
    >
      <SpaceBetween size="l">
        <SegmentedControl
          label="Time span"
          selectedId={choice}
          options={USAGE_WINDOWS.map((id) => ({ id, text: CHOICES[id].label }))}
          // In the address, so that a reload and a link keep it.
          onChange={({ detail }) => void navigate({ to: '.', search: { window: detail.selectedId } as never, replace: true, resetScroll: false })}
        />
        {isEmpty ? (
          <Box textAlign="center" padding="l">
            {none}
          </Box>
        ) : (
          <UsageChart windows={windows} each={each} timeText={TIME_TEXTS[choice]} limit={limitOf(usage, choice)} />
        )}
      </SpaceBetween>
    </Container>
  );
}

const TIME_TEXTS: Readonly<Record<UsageWindow, (iso: string) => string>> = { hour: localTimeOfDay, day: localMinute, month: utcDayText };

/** Quotas have minutes and days, not hours. */
function limitOf({ minute, day }: Usage, choice: UsageWindow): number | undefined {
  return { hour: minute.limit, day: undefined, month: day.limit }[choice];
}
