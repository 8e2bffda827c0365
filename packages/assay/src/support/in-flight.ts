/**
 * What is under way at the moment, of which very much passes in the end. A `Set` would do it, but when members come and
 * go it moves to a new table again and again, and each old one that outlived the quick rounds of the garbage collector
 * holds the next: everything would be kept until a slow round.
 */
export class InFlight<T> {
  readonly #members: (T | null)[] = [];
  readonly #free: number[] = [];

  /** The place of the member, with which it is removed. */
  add(member: T): number {
    const place = this.#free.pop() ?? this.#members.length;
    this.#members[place] = member;
    return place;
  }

  remove(place: number): void {
    this.#members[place] = null;
    this.#free.push(place);
  }

  /** As it is now: what is added or removed meanwhile changes nothing. */
  members(): readonly T[] {
    return this.#members.filter((member) => member !== null);
  }
}
