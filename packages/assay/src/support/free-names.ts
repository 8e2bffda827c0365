/**
 * Gives out names, each once: one that is taken gets a number behind it. However many want the same name, each look takes
 * about as long as the first, for numbers that were given out are not tried again.
 */
export class FreeNames {
  readonly #taken: Set<string>;
  readonly #nextNumbers = new Map<string, number>();

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** `name`, or `name-2`, `name-3`, ... */
  take(name: string): string {
    let free = name;
    if (this.#taken.has(name)) {
      let number = this.#nextNumbers.get(name) ?? 2;
      while (this.#taken.has(`${name}-${number}`)) number += 1;
      free = `${name}-${number}`;
      this.#nextNumbers.set(name, number + 1);
    }
    this.#taken.add(free);
    return free;
  }
}
