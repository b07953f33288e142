// Maps of bounded size, for data that a process keeps in memory.

/** A map that, when full, evicts the entry that was set longest ago. Setting an entry again renews it. */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;

  /** @param capacity maximum number of entries, at least 1 */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  /** Returns all entries, those set longest ago first. */
  entries(): readonly (readonly [K, V])[] {
    return [...this.#entries];
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#capacity) {
      const [oldest] = this.#entries.keys();
      this.#entries.delete(oldest as K);
    }
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}

/** A map of bounded size with several writers: when full, it evicts from its largest group, so a group that fills the map loses its own entries. */
export class FairMap<K, V> {
  readonly #entries = new Map<K, { readonly group: string; readonly value: V }>();
  /** The keys of each group, oldest first. */
  readonly #groups = new Map<string, Set<K>>();
  readonly #capacity: number;

  /** @param capacity maximum number of entries, at least 1 */
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

  /** @returns false if there was no such entry */
  delete(key: K): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    const keys = this.#groups.get(entry.group);
    keys?.delete(key);
    if (keys?.size === 0) this.#groups.delete(entry.group);
    return true;
  }

  /** Returns the key of the oldest entry in the largest group; if several groups are equally large, in the oldest of them. */
  #surplus(): K {
    let largest = new Set<K>();
    for (const keys of this.#groups.values()) if (keys.size > largest.size) largest = keys;
    const [oldest] = largest;
    return oldest as K;
  }
}
