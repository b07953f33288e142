// An owner's way on one machine.

import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeFolder } from '../support/folders.ts';
import { logIn } from '../support/login.ts';
import { runCliJson, startServerProcess } from '../support/processes.ts';
import { startSmtpServer } from '../support/smtp.ts';
import { type OwnersHost, ownerJourney } from './owner-journey.ts';

ownerJourney(startEmbedded);

async function startEmbedded(): Promise<OwnersHost> {
  const folder = makeFolder();
  const smtp = await startSmtpServer();
  const server = await startServerProcess(folder.path, {
    PETSTORE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    PETSTORE_MAIL_FROM: 'petstore@example.com',
  });
  const email = 'ann@example.com';
  const domain = 'www.corner.test';
  const { password } = await runCliJson<{ password: string }>(folder.path, ['users', 'create', email]);
  const port = Number(/custom domains at https:\/\/[\d.]+:(\d+)/.exec(server.stdout())?.[1]);
  return {
    url: server.url,
    email,
    domain,
    logIn: (environment) => logIn(server.url, { email, password }, environment),
    operate: (...args) => runCliJson(folder.path, args),
    setCname: async (target) => void (await runCliJson(folder.path, ['sandbox-dns', 'set', domain, 'CNAME', target])),
    page: (host, path) =>
      new Promise((resolve, reject) => {
        const ca = readFileSync(join(folder.path, 'development-ca.pem'));
        const options = { host: '127.0.0.1', port, servername: host, path, ca, headers: { host }, agent: false };
        request(options, (response) => text(response).then(resolve, reject))
          .once('error', reject)
          .end();
      }),
    mails: async () => smtp.mails.filter(({ to }) => to.includes(email)).map(({ subject }) => subject),
    stop: async () => {
      await server.stop();
      await smtp.stop();
      folder.remove();
    },
  };
}
