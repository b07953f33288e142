// Debian machines: installed once by debootstrap, and booted by their own systemd in namespaces. Each writes into a folder of its own, over files that it
// shares with others (overlayfs). Needs root, and Debian's package debootstrap.

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ADDRESSES } from './internet.ts';

const run = promisify(execFile);
const MIRROR = 'http://deb.debian.org/debian';
const RELEASE = 'bookworm';
/** What every Debian machine with systemd has. */
const PACKAGES = ['systemd', 'systemd-sysv', 'dbus', 'passwd', 'procps'];
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** Keeps packages from starting their services before the machine starts. */
const POLICY = 'usr/sbin/policy-rc.d';
/** What an installation behind a proxy or with another registry needs. */
const PASSED_ON = /^(npm_config_.*|https?_proxy|no_proxy)$/i;
const BOOTED_WITHIN_MS = 60_000;
/** A machine that is asked too early may not answer for a minute. */
const ASKED_WITHIN_MS = 2_000;
/** `is-system-running` says so when the start is over; `degraded` if a unit failed, such as one that wants hardware. */
const BOOTED = ['running', 'degraded'];

/** Gives a machine a control group of its own: systemd's units have the same names on all. $1: its name; then a program */
const GROUP = `set -e
mount -t cgroup2 cgroup2 /mnt
mkdir -p "/mnt/$1"
echo 0 > "/mnt/$1/cgroup.procs"
umount /mnt
shift
exec unshare --cgroup "$@"
`;

/** Removes the control group of a machine that has ended. $1: its name */
const UNGROUP = 'mount -t cgroup2 cgroup2 /mnt; [ ! -e "/mnt/$1" ] || find "/mnt/$1" -depth -type d -exec rmdir {} +';

/** Mounts what a machine has before its first process. $1: the root; $2: the machine's name; then pairs of a folder and where the machine has it */
const BOOT = `set -e
root=$1 name=$2
shift 2
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sys "$root/sys"
mount -t tmpfs tmpfs "$root/sys/fs/cgroup"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs tmpfs "$root/dev"
for device in null zero full random urandom tty; do touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
mkdir "$root/dev/shm" "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
while [ $# -gt 0 ]; do mkdir -p "$root$2"; mount --bind "$1" "$root$2"; shift 2; done
hostname "$name"
cd "$root"
mkdir -p mnt/outside
pivot_root . mnt/outside
exec chroot . /usr/bin/env -i container=other PATH=${PATH} /bin/sh -c 'umount -l /mnt/outside; exec /lib/systemd/systemd --log-target=journal --show-status=0'
`;

/** Variables with which npm reaches its registry from the machine, as it does from here. */
export function passedOn(): NodeJS.ProcessEnv {
  const same = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
  return { ...Object.fromEntries(same), ...(existsSync(CERTIFICATES) && { NODE_EXTRA_CA_CERTS: CERTIFICATES }) };
}

/** Folders that lie on top of each other, the topmost first. */
export type Layers = readonly string[];

export interface Machine {
  readonly name: string;
  readonly root: string;
  /** Runs shell commands before the start, with this machine's network. @returns what they print */
  prepare(commands: string): Promise<string>;
  /** Ends the preparation. @returns the files, for other machines */
  finish(): Layers;
  /** Starts the machine in a network namespace of the small internet. @param mounts folders of this machine, by where that one has them */
  boot(namespace: string, mounts?: Readonly<Record<string, string>>): Promise<void>;
  /** Runs shell commands on the machine, as root. @returns what they print. @throws Error with it, if one fails */
  run(commands: string): Promise<string>;
  /** Ends all of its processes at once, as a power cut does. */
  stop(): Promise<void>;
}

/** Installs Debian into a new folder. */
export async function installDebian(root: string): Promise<Layers> {
  const install = () => run('debootstrap', ['--variant=minbase', `--include=${PACKAGES.join(',')}`, RELEASE, root, MIRROR], { maxBuffer: 2 ** 26 });
  // A mirror may be busy for a moment.
  await install().catch(() => {
    rmSync(root, { recursive: true, force: true });
    return install();
  });
  copyFileSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'));
  return [root];
}

/** Installs Node and npm as packages would: at /usr/bin. */
export async function installNode(root: string, node: string): Promise<void> {
  copyFileSync(node, join(root, 'usr/bin/node'));
  const npm = dirname(dirname(realpathSync((await run('which', ['npm'])).stdout.trim())));
  cpSync(npm, join(root, 'usr/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/bin/npm'));
  mkdirSync(join(root, dirname(CERTIFICATES)), { recursive: true });
  if (existsSync(CERTIFICATES)) copyFileSync(CERTIFICATES, join(root, CERTIFICATES));
  const settings = join(homedir(), '.npmrc');
  if (existsSync(settings)) copyFileSync(settings, join(root, 'root/.npmrc'));
}

/** Makes a machine that has not started. @param folder a new one, whose file system can hold what overlayfs writes: not an overlay itself */
export function createMachine(folder: string, name: string, layers: Layers): Machine {
  const [root, upper, work] = ['root', 'upper', 'work'].map((each) => join(folder, name, each)) as [string, string, string];
  for (const each of [root, upper, work]) mkdirSync(each, { recursive: true });
  execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', `lowerdir=${layers.join(':')},upperdir=${upper},workdir=${work}`, root]);
  let mounted = true;
  const unmount = () => {
    if (mounted) execFileSync('umount', ['-l', root]);
    mounted = false;
  };
  writeFileSync(join(root, POLICY), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  let outer: ChildProcess | undefined;
  let first = '';
  let group = '';

  const shell = async (program: string, args: readonly string[], commands: string, environment: NodeJS.ProcessEnv, timeout = 0): Promise<string> => {
    try {
      const options = { env: { ...environment, PATH, HOME: '/root' }, maxBuffer: 2 ** 26, timeout, killSignal: 'SIGKILL' as const };
      const { stdout } = await run(program, [...args, '/bin/bash', '-e', '-o', 'pipefail', '-c', commands], options);
      return stdout;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`on the machine ${name} failed:\n${commands}\n${stdout}${stderr}`, { cause: error });
    }
  };

  const enter = (commands: string, timeout?: number) =>
    shell('nsenter', ['--target', first, '--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup'], `cd /\n${commands}`, {}, timeout);

  return {
    name,
    root,
    prepare: (commands) => shell('chroot', [root], commands, { ...passedOn(), DEBIAN_FRONTEND: 'noninteractive' }),
    finish: () => {
      unmount();
      return [upper, ...layers];
    },
    boot: async (namespace, mounts = {}) => {
      rmSync(join(root, POLICY));
      writeFileSync(join(root, 'etc/resolv.conf'), `nameserver ${ADDRESSES.resolver}\n`);
      const pairs = Object.entries(mounts).flatMap(([inside, outside]) => [outside, inside]);
      const unshare = ['unshare', '--mount', '--pid', '--fork', '--kill-child', '--uts', '--ipc'];
      const boot = ['bash', '-c', GROUP, 'group', namespace, 'bash', '-c', BOOT, 'boot', root, name, ...pairs];
      outer = spawn('ip', ['netns', 'exec', namespace, ...unshare, ...boot], { stdio: 'ignore' });
      group = namespace;
      for (const end = Date.now() + BOOTED_WITHIN_MS; ; await sleep(200)) {
        // `ip` becomes `unshare`, whose child is the machine's first process.
        first = (await run('pgrep', ['-P', String(outer.pid)]).catch(() => ({ stdout: '' }))).stdout.trim();
        const state = first === '' ? '' : (await enter('systemctl is-system-running || true', ASKED_WITHIN_MS).catch(() => '')).trim();
        if (BOOTED.includes(state)) break;
        if (Date.now() > end) throw new Error(`the machine ${name} has not started: ${state}`);
      }
    },
    run: (commands) => enter(commands),
    stop: async () => {
      if (outer !== undefined && outer.exitCode === null && outer.signalCode === null) {
        const ended = new Promise((resolve) => outer?.once('exit', resolve));
        // All other processes have ended when the first one has.
        if (first === '') outer.kill('SIGKILL');
        else process.kill(Number(first), 'SIGKILL');
        await ended;
        await run('unshare', ['--mount', 'bash', '-c', UNGROUP, 'ungroup', group]);
      }
      unmount();
    },
  };
}
