// An empty Debian machine: installed by debootstrap, booted by its own systemd in namespaces of its own. Needs root, and Debian's package debootstrap.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MIRROR = 'http://deb.debian.org/debian';
const RELEASE = 'bookworm';
/** What every Debian machine with systemd has. */
const PACKAGES = ['systemd', 'systemd-sysv', 'dbus', 'passwd'];
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** What an installation behind a proxy or with another registry needs. */
const PASSED_ON = /^(npm_config_.*|https?_proxy|no_proxy)$/i;
const BOOTED_WITHIN_MS = 60_000;
/** `is-system-running` says so when the start is over; `degraded` if a unit failed, such as one that wants hardware. */
const BOOTED = ['running', 'degraded'];

/** Mounts what a machine has before its first process. $1: the root */
const BOOT = `set -e
mount --bind "$1" "$1"
mount -t proc proc "$1/proc"
mount -t sysfs sys "$1/sys"
mount -t tmpfs tmpfs "$1/sys/fs/cgroup"
mount -t cgroup2 cgroup2 "$1/sys/fs/cgroup"
mount -t tmpfs tmpfs "$1/run"
mount -t tmpfs tmpfs "$1/tmp"
mount -t tmpfs tmpfs "$1/dev"
for device in null zero full random urandom tty; do touch "$1/dev/$device"; mount --bind "/dev/$device" "$1/dev/$device"; done
mkdir "$1/dev/shm" "$1/dev/pts"
ln -s pts/ptmx "$1/dev/ptmx"
hostname server
cd "$1"
mkdir -p mnt/outside
pivot_root . mnt/outside
exec chroot . /usr/bin/env -i container=other PATH=${PATH} /bin/sh -c 'umount -l /mnt/outside; exec /lib/systemd/systemd --log-target=journal --show-status=0'
`;

/** Variables with which npm reaches its registry from the machine, as it does from here. */
export function passedOn(): NodeJS.ProcessEnv {
  const same = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
  return { ...Object.fromEntries(same), ...(existsSync(CERTIFICATES) && { NODE_EXTRA_CA_CERTS: CERTIFICATES }) };
}

export interface Machine {
  readonly root: string;
  /** Runs shell commands before the start, with this machine's network. @returns what they print */
  prepare(commands: string): Promise<string>;
  /** Installs Node and npm as packages would: at /usr/bin. */
  installNode(node: string): Promise<void>;
  /** Starts the machine in a network namespace. */
  boot(namespace: string): Promise<void>;
  /** Runs shell commands on the machine, as root. @returns what they print. @throws Error with it, if one fails */
  run(commands: string): Promise<string>;
  /** Ends all of its processes. */
  stop(): Promise<void>;
}

/** Installs Debian into a new folder. */
export async function installDebian(root: string): Promise<Machine> {
  const install = () => run('debootstrap', ['--variant=minbase', `--include=${PACKAGES.join(',')}`, RELEASE, root, MIRROR], { maxBuffer: 2 ** 26 });
  // A mirror may be busy for a moment.
  await install().catch(() => {
    rmSync(root, { recursive: true, force: true });
    return install();
  });
  copyFileSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'));
  let outer: ChildProcess | undefined;
  let first = '';

  const shell = async (program: string, args: readonly string[], commands: string, environment: NodeJS.ProcessEnv): Promise<string> => {
    try {
      const options = { env: environment, maxBuffer: 2 ** 26 };
      const { stdout } = await run(program, [...args, '/bin/bash', '-e', '-o', 'pipefail', '-c', commands], options);
      return stdout;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`on the machine failed:\n${commands}\n${stdout}${stderr}`, { cause: error });
    }
  };

  const runInside: Machine['run'] = (commands) =>
    shell('nsenter', ['--target', first, '--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup', '--wd=/'], commands, { PATH });

  return {
    root,
    prepare: (commands) => {
      return shell('chroot', [root], commands, { ...passedOn(), PATH, HOME: '/root', DEBIAN_FRONTEND: 'noninteractive' });
    },
    installNode: async (node) => {
      copyFileSync(node, join(root, 'usr/bin/node'));
      const npm = dirname(dirname(realpathSync((await run('which', ['npm'])).stdout.trim())));
      cpSync(npm, join(root, 'usr/lib/node_modules/npm'), { recursive: true });
      symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/bin/npm'));
      mkdirSync(join(root, dirname(CERTIFICATES)), { recursive: true });
      if (existsSync(CERTIFICATES)) copyFileSync(CERTIFICATES, join(root, CERTIFICATES));
      const settings = join(homedir(), '.npmrc');
      if (existsSync(settings)) copyFileSync(settings, join(root, 'root/.npmrc'));
    },
    boot: async (namespace) => {
      const script = `${root}.boot`;
      writeFileSync(script, BOOT);
      const unshare = ['unshare', '--mount', '--pid', '--fork', '--kill-child', '--cgroup', '--uts', '--ipc', 'bash', script, root];
      outer = spawn('ip', ['netns', 'exec', namespace, ...unshare], { stdio: 'ignore' });
      for (const end = Date.now() + BOOTED_WITHIN_MS; ; await sleep(200)) {
        // `ip` becomes `unshare`, whose child is the machine's first process.
        first = (await run('pgrep', ['-P', String(outer.pid)]).catch(() => ({ stdout: '' }))).stdout.trim();
        const state = first === '' ? '' : (await runInside('systemctl is-system-running || true').catch(() => '')).trim();
        if (BOOTED.includes(state)) break;
        if (Date.now() > end) throw new Error(`the machine has not started: ${state}`);
      }
      rmSync(script);
    },
    run: runInside,
    stop: async () => {
      if (outer === undefined || outer.exitCode !== null) return;
      const ended = new Promise((resolve) => outer?.once('exit', resolve));
      process.kill(Number(first), 'SIGKILL');
      outer.kill('SIGKILL');
      await ended;
    },
  };
}
