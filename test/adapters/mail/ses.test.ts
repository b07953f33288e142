import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { beforeEach, expect, test } from 'vitest';
import { createSesMailer } from '../../../adapters/mail/ses.ts';
import { mailerContract, SAMPLE_MESSAGE } from '../../../testing/mailer.ts';
import { mockedClient } from '../../support/mocked-clients.ts';

const FROM = 'no-reply@pets.example.com';
const ses = mockedClient(SESv2Client);

beforeEach(() => {
  ses.reset();
});

mailerContract(
  test,
  async () => {
    ses.on(SendEmailCommand).resolves({ MessageId: '0100' });
    let refuses = false;
    return {
      mailer: createSesMailer(new SESv2Client({ region: 'eu-west-1', maxAttempts: 1 }), FROM),
      from: FROM,
      received: async () =>
        refuses
          ? []
          : ses.commandCalls(SendEmailCommand).map(({ args: [{ input }] }) => {
              const { Subject, Body, Headers = [] } = input.Content?.Simple ?? {};
              const header = (name: string) => Headers.find(({ Name }) => Name === name)?.Value ?? '';
              return {
                from: /<(.+)>$/.exec(input.FromEmailAddress ?? '')?.[1] ?? '',
                to: input.Destination?.ToAddresses ?? [],
                id: header('X-Petstore-Notification'),
                subject: Subject?.Data ?? '',
                text: Body?.Text?.Data ?? '',
                html: Body?.Html?.Data ?? '',
                unsubscribe: header('List-Unsubscribe'),
                unsubscribePost: header('List-Unsubscribe-Post'),
              };
            }),
      refuse: (how) => {
        refuses = true;
        const name = how === 'permanently' ? 'MessageRejected' : 'TooManyRequestsException';
        ses.on(SendEmailCommand).rejects(Object.assign(new Error(`${name} happened`), { name }));
      },
    };
  },
  { name: 'SES' },
);

test.each([
  [FROM, `Petstore <${FROM}>`],
  [`Café <${FROM}>`, `=?UTF-8?B?Q2Fmw6k=?= <${FROM}>`],
])('the sender %s is %s', async (from, header) => {
  ses.on(SendEmailCommand).resolves({ MessageId: '0100' });
  await createSesMailer(new SESv2Client({ region: 'eu-west-1' }), from).send(SAMPLE_MESSAGE);
  expect(ses.commandCalls(SendEmailCommand)[0]?.args[0].input.FromEmailAddress).toBe(header);
});
