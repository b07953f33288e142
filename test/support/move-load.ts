// Clients of an installation while it moves. Each creates an animal, reads three times, and so on.

/** @param url of what answers now. @param keys one of which each client has */
export function startMoveLoad(url: () => string, keys: readonly string[], clients: number) {
  const created: number[] = [];
  /** Answers that no client may get, even during a move. */
  const others: string[] = [];
  let refused = 0;
  let isOver = false;
  const client = async (n: number) => {
    const headers = { authorization: `Bearer ${keys[n % keys.length]}`, 'content-type': 'application/json' };
    for (let turn = 0; !isOver; turn += 1) {
      const isWrite = turn % 4 === 0;
      const body = JSON.stringify({ name: `Bella ${n} ${turn}`, categoryId: 1 });
      const response = await fetch(`${url()}/v1/pets${isWrite ? '' : '?limit=1'}`, isWrite ? { method: 'POST', headers, body } : { headers });
      const answer = (await response.json()) as { id: number };
      if (response.status === 201) created.push(answer.id);
      else if (isWrite && response.status === 503 && response.headers.get('retry-after') !== null) refused += 1;
      else if (response.status !== 200) others.push(`${response.status} ${JSON.stringify(answer)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const ended = Promise.all(Array.from({ length: clients }, (_, n) => client(n)));
  return {
    created,
    others,
    /** How many creations were refused with `Retry-After`. */
    refused: () => refused,
    /** Resolves when so many more have been created, or a client has got what it may not get. */
    creates: async (more: number) => {
      for (const wanted = created.length + more; created.length < wanted && others.length === 0; )
        await new Promise((resolve) => setTimeout(resolve, 20));
    },
    end: async () => {
      isOver = true;
      await ended;
    },
  };
}
