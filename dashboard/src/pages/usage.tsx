// An account's quota usage, updated live.

import Alert from '@cloudscape-design/components/alert';
import BarChart from '@cloudscape-design/components/bar-chart';
import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { localTime, localTimeOfDay, utcDayText } from '../parts/time.ts';
import { useUsage } from '../queries.ts';
import type { Usage } from '../shapes.ts';
import { type Minutes, mergeMinutes, warningOf } from '../usage-history.ts';

/** The page with an account's usage. */
export function UsagePage() {
  const { accountId = '' } = useParams({ strict: false });
  const usage = useUsage(accountId);
  return (
    <Page title="Usage" description="All of an account's keys share its limits. Refused requests use up no quota.">
      <Loaded of={usage}>
        {(data) => (
          <SpaceBetween size="l">
            <Warnings usage={data} />
            <Container header={<Header variant="h2">Current minute and day</Header>}>
              <SpaceBetween size="l">
                <KeyValuePairs
                  columns={4}
                  items={[
                    { label: 'Plan', value: data.plan },
                    { label: 'Minute resets at', value: localTime(data.minute.resetAt) },
                    { label: 'Day resets at', value: localTime(data.day.resetAt) },
                    { label: 'Refused today', value: (data.history.days.at(-1)?.refused ?? 0).toLocaleString() },
                  ]}
                />
                <Window name="Requests this minute" of={data.minute} />
                <Window name="Requests today" of={data.day} />
              </SpaceBetween>
            </Container>
            <MinuteChart key={accountId} usage={data} />
            <DayChart usage={data} />
          </SpaceBetween>
        )}
      </Loaded>
    </Page>
  );
}

function Warnings({ usage: { bans, ...usage } }: { readonly usage: Usage }) {
  const warning = warningOf(usage);
  const banned = bans.map(({ keyId, until }) => ({ keyId, header: `Key ${keyId} is banned until ${localTime(until)}` }));
  return (
    <>
      <div role="status" className="announcement">
        {[...banned.map(({ header }) => header), ...(warning === undefined ? [] : [warning.announcement])].map((text) => `${text}. `)}
      </div>
      {(banned.length > 0 || warning !== undefined) && (
        <SpaceBetween size="xs">
          {banned.map(({ keyId, header }) => (
            <Alert key={keyId} type="error" header={header}>
              Its client kept sending after 429 responses. Make it wait for as long as Retry-After says. You can lift the ban on the API keys page.
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

function MinuteChart({ usage: { minute, history } }: { readonly usage: Usage }) {
  const [minutes, setMinutes] = useState<Minutes>(history.minutes);
  useEffect(() => setMinutes((known) => mergeMinutes(known, history.minutes)), [history.minutes]);
  return (
    <Chart
      title="Requests per minute"
      description="The last minutes, and those since you opened this page."
      label="Requests per minute against the plan's limit"
      xTitle="Minute"
      x={minutes.map(({ startsAt }) => localTimeOfDay(startsAt))}
      series={[{ title: 'Requests', y: minutes.map(({ admitted }) => admitted) }]}
      limit={minute.limit}
    />
  );
}

function DayChart({ usage: { day, history } }: { readonly usage: Usage }) {
  return (
    <Chart
      title="Requests per day"
      description="UTC days. Refusals are reported up to a minute later."
      label="Requests and refusals per day against the plan's limit"
      xTitle="Day (UTC)"
      x={history.days.map(({ startsAt }) => utcDayText(startsAt))}
      series={[
        { title: 'Requests', y: history.days.map(({ admitted }) => admitted) },
        { title: 'Refused', y: history.days.map(({ refused }) => refused) },
      ]}
      limit={day.limit}
    />
  );
}

interface ChartProps {
  readonly title: string;
  readonly description: ReactNode;
  /** For screen readers. */
  readonly label: string;
  readonly xTitle: string;
  readonly x: readonly string[];
  readonly series: readonly { readonly title: string; readonly y: readonly number[] }[];
  readonly limit: number;
}

function Chart({ title, description, label, xTitle, x, series, limit }: ChartProps) {
  return (
    <Container
      header={
        <Header variant="h2" description={description}>
          {title}
        </Header>
      }
    >
      <BarChart
        height={220}
        hideFilter
        stackedBars
        xScaleType="categorical"
        xDomain={[...x]}
        xTitle={xTitle}
        yTitle="Requests"
        ariaLabel={label}
        i18nStrings={{ chartAriaRoleDescription: 'bar chart', yTickFormatter: (value) => value.toLocaleString() }}
        series={[
          ...series.map((each) => ({ title: each.title, type: 'bar' as const, data: x.map((at, index) => ({ x: at, y: each.y[index] ?? 0 })) })),
          { title: 'Plan limit', type: 'threshold' as const, y: limit },
        ]}
        empty={<Box textAlign="center">No data yet</Box>}
      />
    </Container>
  );
}
