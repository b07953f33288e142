import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';

// Ports are chosen below the range that systems assign to `listen(0)` and to outgoing connections (from 32768 on Linux, from 49152 elsewhere): a
// port in that range could be taken before its server listens.
const FIRST = 22_000;
const COUNT = 10_000;
// Reserves a chosen port until this process exits, so that no other process in a run chooses the same.
const RESERVATION = -COUNT;

/** Returns a free port on the loopback interface, from 22000 to 31999, never the same twice in this process. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if ((await reserved(port + RESERVATION)) && (await free(port))) return port;
  }
}

/** A port that is free for UDP as well. */
export async function freeDnsPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    const probe = createSocket('udp4');
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false));
      probe.bind(port, '127.0.0.1', () => resolve(true));
    });
    probe.close();
    if (isFree) return port;
  }
}

function reserved(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const holder = createServer((socket) => socket.destroy());
    holder.once('error', () => resolve(false));
    holder.listen(port, '127.0.0.1', () => resolve(true)).unref();
  });
}

function free(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, () => probe.close(() => resolve(true)));
  });
}

/** Whether something listens on a port of this machine. */
export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.end(() => resolve(true)));
    socket.once('error', () => resolve(false));
  });
}
