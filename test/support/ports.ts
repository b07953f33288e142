import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** A port of the loopback interface that nobody uses at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** One that is free for UDP too. */
export async function freeDnsPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    const probe = createSocket('udp4');
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false));
      probe.bind(port, '127.0.0.1', () => resolve(true));
    });
    probe.close();
    if (free) return port;
  }
}
