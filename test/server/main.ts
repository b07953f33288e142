// Follows docs/server/install.md line by line: `npm run test:server`. Needs root, Chromium with certutil, and
// Debian's packages debootstrap, buildah, iproute2, knot, unbound, pebble, openssl, curl.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tryContainer } from './container.ts';
import { ADDRESSES, type Internet, startInternet } from './internet.ts';
import { installDebian, type Machine } from './machine.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const DOMAIN = 'www.corner-bakery.com';
const NAMESPACE = `petstore-${process.pid}`;
/** The units' exposure by systemd's own judgement, from 0 to 10. */
const MOST_EXPOSED = 2;

const folder = mkdtempSync(join(tmpdir(), 'petstore-server-'));
let machine: Machine | undefined;
let internet: Internet | undefined;
let passed = 0;

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const began = Date.now();
  const result = await work();
  passed += 1;
  console.info(`ok ${passed} - ${name} (${Math.round((Date.now() - began) / 1_000)} s)`);
  return result;
}

/** The commands of the page, in their order, with what they need: `node`, `settings`, or `running` for a machine that has started. */
function documentedSteps(): readonly { readonly needs: string; readonly commands: string }[] {
  const document = readFileSync(join(ROOT, 'docs/server/install.md'), 'utf8');
  const steps = [...document.matchAll(/<!-- debian ?(\w*) -->\n```sh\n(.*?)```/gs)];
  return steps.map(([, needs = '', commands = '']) => ({ needs, commands }));
}

/** Addresses of the outside world, in the small internet of this test. */
function inThisInternet(commands: string, tarball: string, { acmeDirectory }: Pick<Internet, 'acmeDirectory'>): string {
  const replaced = commands
    .replace('npm install --prefix /opt/petstore petstore-platform', `npm install --no-audit --no-fund --prefix /opt/petstore ${tarball}`)
    .replace(/^PETSTORE_DNS_SERVERS=.*$/m, `PETSTORE_DNS_SERVERS=${ADDRESSES.resolver}:53`)
    .replace(/^PETSTORE_ACME_DIRECTORY=.*$/m, `PETSTORE_ACME_DIRECTORY=${acmeDirectory}\nPETSTORE_ACME_CA_FILE=/etc/petstore/acme.pem`);
  return replaced;
}

async function main(): Promise<void> {
  const steps = documentedSteps();
  assert.ok(steps.length >= 8, `docs/server/install.md has ${steps.length} steps`);
  machine = await step('an empty Debian machine', () => installDebian(join(folder, 'machine')));
  const { root } = machine;
  const tarball = await step('the package, as npm packs it', async () => {
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT });
    const name = readdirSync(folder).find((each) => each.endsWith('.tgz')) ?? '';
    copyFileSync(join(folder, name), join(root, 'root', name));
    return `/root/${name}`;
  });
  await step('Node 24', () => machine?.installNode(join(ROOT, 'node_modules/node/bin/node')) ?? Promise.resolve());
  await step('the Containerfile: built, and ready as a user without rights', () => tryContainer(root, folder, tarball.slice('/root/'.length)));
  const servers = join(folder, 'servers');
  internet = await step('name servers and an ACME server', () =>
    startInternet(servers, NAMESPACE, {
      'example.com': [`pets A ${ADDRESSES.server}`],
      'example.org': [`*.edge A ${ADDRESSES.server}`],
      'corner-bakery.com': [],
    }),
  );
  writeFileSync(join(servers, 'root.pem'), await internet.issuingRoot());

  for (const { needs, commands } of steps.filter(({ needs }) => needs !== 'running')) {
    const [first = ''] = commands.split('\n');
    // Done above: its server is not in every test's reach, so it is the project's own Node.
    if (needs === 'node') continue;
    await step(first, () => machine?.prepare(inThisInternet(commands, tarball, internet as Internet)) ?? Promise.resolve(''));
  }
  mkdirSync(join(root, 'etc/petstore'), { recursive: true });
  copyFileSync(internet.acmeCertificate, join(root, 'etc/petstore/acme.pem'));
  writeFileSync(join(root, 'etc/resolv.conf'), `nameserver ${ADDRESSES.resolver}\n`);
  await step('the machine starts', () => machine?.boot(NAMESPACE) ?? Promise.resolve());

  const printed: string[] = [];
  for (const { commands } of steps.filter(({ needs }) => needs === 'running')) {
    const [first = ''] = commands.split('\n');
    await step(first, async () => {
      if (first.startsWith('journalctl')) await waitFor('the service is ready', () => inside('journalctl -u petstore'), /ready at/);
      printed.push(await inside(commands));
    });
  }
  await step('the public name, with a certificate', () => waitFor('the certificate', () => ask('https://pets.example.com/readyz'), /status 200/));
  await visit(await inside('journalctl -u petstore -o cat'));
  await judge(printed.join('\n'));
  console.info(`${passed} passed, 0 failed`);
}

/** Runs shell commands in the network namespace, with this machine's programs. @returns what they print */
const outside = async (commands: string): Promise<string> => (await run('ip', ['netns', 'exec', NAMESPACE, 'bash', '-c', commands])).stdout;
/** Asks as any client does. */
const ask = (url: string): Promise<string> =>
  outside(`curl -sS -o /dev/null -w 'status %{http_code}' --cacert ${join(folder, 'servers/root.pem')} ${url} || true`);

const inside = (commands: string): Promise<string> => (machine as Machine).run(commands);

async function waitFor(what: string, look: () => Promise<string>, pattern: RegExp): Promise<string> {
  for (const end = Date.now() + 60_000; ; await new Promise((resolve) => setTimeout(resolve, 500))) {
    const seen = await look();
    if (pattern.test(seen)) return seen;
    if (Date.now() > end) throw new Error(`${what}: not within a minute; last seen:\n${seen}`);
  }
}

/** The owner signs in at the public name, and makes a domain live. */
async function visit(journal: string): Promise<void> {
  const [, email = '', password = ''] = /shown only now:\s+(\S+@\S+)\s+(\S+)/.exec(journal) ?? [];
  assert.notEqual(password, '', `no first user in the journal:\n${journal}`);
  await step(`the dashboard at https://pets.example.com, and ${DOMAIN} live`, async () => {
    const owner = [join(import.meta.dirname, 'owner.ts'), join(folder, 'home'), join(folder, 'servers'), email, password, DOMAIN];
    const { stdout } = await run('ip', ['netns', 'exec', NAMESPACE, process.execPath, ...owner]);
    assert.match(stdout, /Bakery/);
  });
}

/** What operators rely on, on a machine with a systemd that runs. */
async function judge(printed: string): Promise<void> {
  await step('the sandbox of the service', async () => {
    const [, exposure = '10'] =
      /exposure level for petstore\.service: ([\d.]+)/.exec(await inside('systemd-analyze security petstore --no-pager')) ?? [];
    assert.ok(Number(exposure) <= MOST_EXPOSED, `exposure ${exposure}`);
    console.info(`# exposure ${exposure}`);
  });
  await step('the firewall lets the web in, and nothing else', async () => {
    const resolved = `--resolve pets.example.com:443:${ADDRESSES.server}`;
    const get = (url: string) => `curl -sk -o /dev/null -m 3 -w '%{http_code} ' ${resolved} ${url} || true`;
    const urls = ['https://pets.example.com/livez', `http://${ADDRESSES.server}/`, `https://${ADDRESSES.acme}:14000/dir`];
    const { stdout } = await run('ip', ['netns', 'exec', (internet as Internet).outsider, 'bash', '-c', urls.map(get).join('\n')]);
    assert.match(stdout, /^200 [34]\d\d 000 $/);
  });
  await step('the backup is there, and the timer will make the next one', async () => {
    assert.match(await inside('ls /var/backups/petstore'), /^\d{4}-\d\d-\d\dT/m);
    assert.match(await inside('systemctl list-timers --no-pager'), /petstore-backup\.timer/);
  });
  await step('no request is refused while the service restarts', async () => {
    const asking = outside(
      `for n in $(seq 40); do curl -sS -o /dev/null -w '%{http_code} ' --cacert ${join(folder, 'servers/root.pem')} https://pets.example.com/livez || echo refused; sleep 0.1; done`,
    );
    await inside('sleep 1; systemctl restart petstore');
    const statuses = await asking;
    assert.doesNotMatch(statuses, /refused|000/, statuses);
    await waitFor('the service', () => inside('systemctl is-active petstore || true'), /^active/);
  });
  await step('the service comes back after a kill, with the domain', async () => {
    await inside('systemctl kill --signal=KILL petstore');
    await waitFor('the domain', () => ask(`https://${DOMAIN}/`), /status 200/);
  });
  await step('a stuck service is started again', async () => {
    const override = '/run/systemd/system/petstore.service.d';
    await inside(
      `mkdir -p ${override}; printf '[Service]\\nWatchdogSec=3\\n' > ${override}/watchdog.conf; systemctl daemon-reload; systemctl restart petstore`,
    );
    assert.match(await inside('systemctl show -P StatusText petstore'), /^ready at https:\/\/pets\.example\.com$/m);
    await inside('systemctl kill --kill-whom=main --signal=STOP petstore');
    await waitFor('the journal', () => inside('journalctl -u petstore -o cat'), /Watchdog timeout/);
    await waitFor('the domain', () => ask(`https://${DOMAIN}/`), /status 200/);
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
    assert.doesNotMatch(printed, /^problem/im);
  });
}

try {
  await main();
} catch (error) {
  console.error(error);
  if (machine !== undefined) console.error(await inside('journalctl -u "petstore*" --no-pager | tail -n 60').catch(String));
  console.info(`${passed} passed, 1 failed`);
  process.exitCode = 1;
} finally {
  await machine?.stop();
  internet?.stop();
  rmSync(folder, { recursive: true, force: true });
}
