// A map of bounded size for a process's memory: when full, it evicts the entry that was set longest ago.

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

  /** All entries, those first that were set longest ago. */
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
