/**
 * Gives out names, each once: one that is taken gets a number behind it. However many want the same name, each look takes
 * about as long as the first, for numbers that were given out are not tried again.
 */
export class FreeNames {
  readonly #taken: Set<string>;
  readonly #nextNumbers = new Map<string, number>();
  readonly #fold: (name: string) => string;

  /** Names that `fold` makes equal are one name: `fold` may ignore their case. */
  constructor(taken: Iterable<string> = [], fold = (name: string) => name) {
    this.#taken = new Set(taken);
    this.#fold = fold;
  }

  /** `name`, or `name-2`, `name-3`, ..., each with the suffix behind it. */
  take(name: string, suffix = ""): string {
    const wanted = this.#fold(`${name}${suffix}`);
    if (this.#add(wanted)) return `${name}${suffix}`;
    let number = this.#nextNumbers.get(wanted) ?? 2;
    while (!this.#add(this.#fold(`${name}-${number}${suffix}`))) number += 1;
    this.#nextNumbers.set(wanted, number + 1);
    return `${name}-${number}${suffix}`;
  }

  #add(name: string): boolean {
    if (this.#taken.has(name)) return false;
    this.#taken.add(name);
    return true;
  }
}
