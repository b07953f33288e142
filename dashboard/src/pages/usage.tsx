// An account's use of its quota, as it goes.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import LineChart from '@cloudscape-design/components/line-chart';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { localTime } from '../parts/time.ts';
import { type Usage, useUsage } from '../queries.ts';

/** Points that the chart shows, one every two seconds: ten minutes. */
const POINTS = 300;

interface Point {
  readonly at: Date;
  readonly used: number;
}

export function UsagePage() {
  const { accountId = '' } = useParams({ strict: false });
  const usage = useUsage(accountId);
  const [points, setPoints] = useState<readonly Point[]>([]);
  useEffect(() => {
    if (usage.data !== undefined) setPoints((all) => [...all, { at: new Date(usage.dataUpdatedAt), used: usage.data.minute.used }].slice(-POINTS));
  }, [usage.data, usage.dataUpdatedAt]);
  return (
    <Page title="Usage" accountId={accountId} description="All keys of an account share its limits. Refused requests use up nothing.">
      <Loaded of={usage}>
        {(data) => (
          <SpaceBetween size="l">
            {data.bans.map(({ keyId, until }) => (
              <Alert key={keyId} type="error" header={`Key ${keyId} is banned until ${localTime(until)}`}>
                It kept sending after it was told to wait. Wait for Retry-After, then try again at growing intervals.
              </Alert>
            ))}
            <Container header={<Header variant="h2">This minute and this day</Header>}>
              <SpaceBetween size="l">
                <KeyValuePairs
                  columns={3}
                  items={[
                    { label: 'Plan', value: data.plan },
                    { label: 'The minute ends', value: localTime(data.minute.resetAt) },
                    { label: 'The day ends', value: localTime(data.day.resetAt) },
                  ]}
                />
                <Window name="Requests this minute" of={data.minute} />
                <Window name="Requests today" of={data.day} />
              </SpaceBetween>
            </Container>
            <Container
              header={
                <Header variant="h2" description="Since this page was opened.">
                  Requests a minute
                </Header>
              }
            >
              <Chart points={points} limit={data.minute.limit} />
            </Container>
          </SpaceBetween>
        )}
      </Loaded>
    </Page>
  );
}

function Window({ name, of: { used, limit } }: { readonly name: string; readonly of: Usage['minute'] }) {
  return (
    <ProgressBar label={name} value={Math.min(100, (100 * used) / limit)} additionalInfo={`${used.toLocaleString()} of ${limit.toLocaleString()}`} />
  );
}

function Chart({ points, limit }: { readonly points: readonly Point[]; readonly limit: number }) {
  return (
    <LineChart
      height={240}
      hideFilter
      xScaleType="time"
      series={[
        { title: 'Requests in the minute', type: 'line', data: points.map(({ at, used }) => ({ x: at, y: used })) },
        { title: 'Limit of the plan', type: 'threshold', y: limit },
      ]}
      xTitle="Time"
      yTitle="Requests"
      ariaLabel="Requests in the running minute against the limit of the plan"
      i18nStrings={{
        xTickFormatter: (at) => new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }).format(at),
        chartAriaRoleDescription: 'line chart',
      }}
      empty={<Box textAlign="center">No figures yet</Box>}
    />
  );
}
