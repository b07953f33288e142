// One machine: follows docs/server/install.md line by line.

import assert from 'node:assert/strict';
import type { Machine } from './machine.ts';
import { documentedSteps, step, waitFor } from './steps.ts';
import { DOMAIN, type Visitors } from './visitors.ts';

/** The units' exposure by systemd's own judgement, from 0 to 10. */
const MOST_EXPOSED = 2;
/** Of a server that the firewall hides. */
const HIDDEN_PORT = 3000;

/** Follows the steps on a machine that has been prepared and started, and tries what they have made. @param address the machine's */
export async function tryOneMachine(machine: Machine, visitors: Visitors, address: string): Promise<void> {
  const inside = machine.run;
  const printed: string[] = [];
  for (const { commands } of documentedSteps('install.md').filter(({ mark }) => mark === 'running')) {
    const [first = ''] = commands.split('\n');
    await step(first, async () => {
      if (first.startsWith('journalctl')) await waitFor('the service is ready', () => inside('journalctl -u petstore'), /ready at/);
      printed.push(await inside(commands));
    });
  }
  await step('the public name, with a certificate', () => waitFor('the certificate', () => visitors.ask('https://pets.example.com/readyz'), /200/));
  await step(`the dashboard at https://pets.example.com, and ${DOMAIN} live`, async () =>
    visitors.ownDomain(await inside('journalctl -u petstore -o cat')),
  );
  await step('the sandbox of the service', async () => {
    const [, exposure = '10'] =
      /exposure level for petstore\.service: ([\d.]+)/.exec(await inside('systemd-analyze security petstore --no-pager')) ?? [];
    assert.ok(Number(exposure) <= MOST_EXPOSED, `exposure ${exposure}`);
    console.info(`# exposure ${exposure}`);
  });
  await step('the firewall lets the web in, and nothing else', async () => {
    const other = `http://${address}:${HIDDEN_PORT}/`;
    await inside(`systemd-run --quiet node -e "require('node:http').createServer((_, response) => response.end()).listen(${HIDDEN_PORT})"`);
    await inside(`until (: < /dev/tcp/127.0.0.1/${HIDDEN_PORT}) 2>/dev/null; do sleep 0.1; done`);
    const statuses = ['https://pets.example.com/livez', `http://${address}/`, other].map(
      (url) => `curl -sk -o /dev/null -m 3 -w '%{http_code} ' ${url} || true`,
    );
    assert.match(await visitors.run(statuses.join('\n')), /^200 [34]\d\d 000 $/);
  });
  await step('the backup is there, and the timer will make the next one', async () => {
    assert.match(await inside('ls /var/backups/petstore'), /^\d{4}-\d\d-\d\dT/m);
    assert.match(await inside('systemctl list-timers --no-pager'), /petstore-backup\.timer/);
  });
  await step('no request is refused while the service restarts', async () => {
    const answers = await visitors.askDuring('https://pets.example.com/livez', () => inside('sleep 1; systemctl restart petstore; sleep 1'));
    assert.deepEqual(
      answers.filter(({ status }) => status !== '200'),
      [],
    );
  });
  await step('the service comes back after a kill, with the domain', async () => {
    await inside('systemctl kill --signal=KILL petstore');
    await waitFor('the domain', () => visitors.ask(`https://${DOMAIN}/`), /200/);
  });
  await step('a stuck service is started again', async () => {
    const override = '/run/systemd/system/petstore.service.d';
    await inside(
      `mkdir -p ${override}; printf '[Service]\\nWatchdogSec=3\\n' > ${override}/watchdog.conf; systemctl daemon-reload; systemctl restart petstore`,
    );
    assert.match(await inside('systemctl show -P StatusText petstore'), /^ready at https:\/\/pets\.example\.com$/m);
    await inside('systemctl kill --kill-whom=main --signal=STOP petstore');
    await waitFor('the journal', () => inside('journalctl -u petstore -o cat'), /Watchdog timeout/);
    await waitFor('the domain', () => visitors.ask(`https://${DOMAIN}/`), /200/);
    await inside(`rm -r ${override}; systemctl daemon-reload; systemctl restart petstore`);
  });
  await step('a backup that fails runs the program of the operator', async () => {
    const program = '/etc/petstore/on-failure';
    await inside(
      `printf '#!/bin/sh\\necho told of $1\\n' > ${program}; chmod 755 /etc/petstore ${program}; mv /var/backups/petstore /var/backups/elsewhere`,
    );
    await inside('systemctl start petstore-backup || true');
    await waitFor('the journal', () => inside("journalctl -u 'petstore-failed@*' -o cat || true"), /told of petstore-backup\.service/);
    await inside('mv /var/backups/elsewhere /var/backups/petstore; systemctl start petstore-backup');
  });
  await step('nothing failed', async () => {
    assert.equal(await inside("systemctl list-units 'petstore*' --state=failed --no-legend --plain"), '');
    assert.doesNotMatch(printed.join('\n'), /^problem/im);
  });
}
