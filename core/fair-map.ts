// A map of bounded size that many fill: what is one too many goes out of the group that has the most, so that a group that fills it loses
// its own.

export class FairMap<K, V> {
  readonly #entries = new Map<K, { readonly group: string; readonly value: V }>();
  /** The keys of each group, the one that was set longest ago first. */
  readonly #groups = new Map<string, Set<K>>();
  readonly #capacity: number;

  /** @param capacity entries that it holds at the most, at least 1 */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  set(group: string, key: K, value: V): void {
    this.delete(key);
    this.#entries.set(key, { group, value });
    this.#groups.set(group, (this.#groups.get(group) ?? new Set()).add(key));
    if (this.#entries.size > this.#capacity) this.delete(this.#surplus());
  }

  /** @returns false if there was none */
  delete(key: K): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    const keys = this.#groups.get(entry.group);
    keys?.delete(key);
    if (keys?.size === 0) this.#groups.delete(entry.group);
    return true;
  }

  /** The oldest entry of the largest group; of equal ones, of the group that has been there longest. */
  #surplus(): K {
    let largest = new Set<K>();
    for (const keys of this.#groups.values()) if (keys.size > largest.size) largest = keys;
    const [oldest] = largest;
    return oldest as K;
  }
}
