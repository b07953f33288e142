// Makes a model of AWS usable through the SDK, with clients whose calls the model answers, and lists in pages.

type AnyClient = new (settings: never) => object;

/** A client whose calls go to the model. Its class is the SDK's, because paginators reject others. */
export function clientOf<Client extends AnyClient>(type: Client, send: (command: never) => unknown): InstanceType<Client> {
  return Object.assign(Object.create(type.prototype), { send });
}

/**
 * The items from a token on, and the token of the next page: the key of the next page's first item, so that removals from this page shift nothing.
 */
export function pageOf<Item>(all: ReadonlyMap<string, Item>, token: string | undefined, size: number): { items: Item[]; next: string | undefined } {
  const keys = [...all.keys()];
  const start = token === undefined ? 0 : keys.indexOf(token);
  if (start < 0) throw Object.assign(new Error(`no page begins with ${token}`), { name: 'ValidationException' });
  return { items: [...all.values()].slice(start, start + size), next: keys[start + size] };
}
