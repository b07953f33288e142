import { ACMClient, DescribeCertificateCommand, ListCertificatesCommand } from '@aws-sdk/client-acm';
import { expect, test } from 'vitest';
import { paced, SWEEP_RATES } from '../../platforms/aws/pace.ts';

const ARN = 'arn:aws:acm:us-east-1:123456789012:certificate/1';

/** A client at the sweep's pace, whose requests are answered at once; time passes only while calls wait for their turns. */
function pacedClient(statuses: number[] = []) {
  let now = 1_000;
  const sent: [operation: string, at: number][] = [];
  const client = new ACMClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
    // Without the SDK's own pause before a repetition.
    retryStrategy: {
      acquireInitialRetryToken: async () => ({ getRetryCount: () => 0, getRetryDelay: () => 0 }),
      refreshRetryTokenForRetry: async () => ({ getRetryCount: () => 1, getRetryDelay: () => 0 }),
      recordSuccess: () => {},
    },
    requestHandler: {
      handle: async ({ headers }: { headers: Record<string, string> }) => {
        sent.push([String(headers['x-amz-target']?.split('.')[1]), now]);
        const statusCode = statuses.shift() ?? 200;
        const body = statusCode === 200 ? '{}' : '{"__type":"ThrottlingException","message":"Rate exceeded"}';
        return { response: { statusCode, headers: {}, body: new TextEncoder().encode(body) } };
      },
    },
  });
  const wait = async (ms: number) => {
    now += ms;
  };
  return { client: paced(client, SWEEP_RATES.acm, { elapsed: () => now, wait }), sent };
}

test('calls wait for their turns, those of an operation with its own rate separately', async () => {
  const { client, sent } = pacedClient();
  for (let n = 0; n < 3; n += 1) await client.send(new DescribeCertificateCommand({ CertificateArn: ARN }));
  for (let n = 0; n < 3; n += 1) await client.send(new ListCertificatesCommand({}));
  expect(sent).toEqual([
    ['DescribeCertificate', 1_000],
    ['DescribeCertificate', 1_200],
    ['DescribeCertificate', 1_400],
    ['ListCertificates', 1_400],
    ['ListCertificates', 2_400],
    ['ListCertificates', 3_400],
  ]);
});

test('a call that is repeated after it was throttled waits for its turn again', async () => {
  const { client, sent } = pacedClient([400, 400]);
  await client.send(new ListCertificatesCommand({}));
  expect(sent.map(([, at]) => at)).toEqual([1_000, 2_000, 3_000]);
});
