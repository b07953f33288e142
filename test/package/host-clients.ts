// Clients that send requests to several hosts in turn, as a load balancer does, and remember every answer.

import type { Started } from './run.ts';

interface Answer {
  readonly status: number;
  readonly json: unknown;
}

/** Clients with one API key. */
export class HostClients {
  readonly answers: Answer[] = [];
  /** Requests that ended without an answer, because their host did. */
  unanswered = 0;
  /** Requests that `missing` has sent. */
  reads = 0;
  readonly #headers: Readonly<Record<string, string>>;
  #hosts: readonly Started[];
  #sent = 0;

  constructor(hosts: readonly Started[], key: string) {
    this.#hosts = hosts;
    this.#headers = { authorization: `Bearer ${key}` };
  }

  /** Sends requests with several clients, each of which waits for an answer before it sends the next. */
  async run(clients: number, requests: number, request: Pick<RequestInit, 'method' | 'body'> & { headers?: Readonly<Record<string, string>> }) {
    const end = this.#sent + requests;
    const send = async () => {
      while (this.#sent < end) {
        this.#sent += 1;
        const host = this.#hosts[this.#sent % this.#hosts.length] as Started;
        try {
          const response = await fetch(`${host.url}/v1/pets`, { ...request, headers: { ...this.#headers, ...request.headers } });
          this.answers.push({ status: response.status, json: await response.json() });
        } catch (error) {
          // A host that was killed: its clients go to the others.
          if (!(error instanceof TypeError)) throw error;
          this.unanswered += 1;
        }
      }
    };
    await Promise.all(Array.from({ length: clients }, send));
  }

  /** Resolves when this many answers have come. */
  async until(count: number): Promise<void> {
    while (this.answers.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** Sends nothing to a host from now on. */
  gone(host: Started): void {
    this.#hosts = this.#hosts.filter((each) => each !== host);
  }

  /** How often each status was answered. */
  statuses(): Readonly<Record<number, number>> {
    const counts: Record<number, number> = {};
    for (const { status } of this.answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  /** Returns the animals that a host does not have. */
  async missing(host: Started, ids: readonly number[]): Promise<readonly number[]> {
    const missing: number[] = [];
    for (const id of ids) {
      this.reads += 1;
      const response = await fetch(`${host.url}/v1/pets/${id}`, { headers: this.#headers });
      if (response.status !== 200) missing.push(id);
      await response.arrayBuffer();
    }
    return missing;
  }
}
