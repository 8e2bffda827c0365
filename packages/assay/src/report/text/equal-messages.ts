import { cutToWidth } from "../../support/terminal-text.ts";
import { visibleLine } from "../../support/visible-text.ts";

const maxMessage = 300;
/** Messages that are counted; of a run with more, each is likely to be one of its own. */
const maxCounted = 256;

/** A message as it is shown: one line, cut. */
export function shownMessage(message: string): string {
  return cutToWidth(visibleLine(message), maxMessage);
}

/** How often each message occurred, so that it is shown once. */
export class EqualMessages {
  readonly #counts = new Map<string, number>();

  add(kind: string, message: string): void {
    const key = keyOf(kind, message);
    const count = this.#counts.get(key) ?? 0;
    if (count > 0 || this.#counts.size < maxCounted) this.#counts.set(key, count + 1);
  }

  /** At least as many as are shown. */
  count(kind: string, message: string, shown: number): number {
    return Math.max(this.#counts.get(keyOf(kind, message)) ?? 0, shown);
  }
}

/** Items by what they say, in the order of the first of each. */
export function byMessage<T>(
  items: readonly T[],
  messageOf: (item: T) => string,
): readonly (readonly [first: T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const message = messageOf(item);
    const group = groups.get(message);
    if (group === undefined) groups.set(message, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** ` and 3 more` behind the first of four. */
export function andMore(count: number): string {
  return count > 1 ? ` and ${count - 1} more` : "";
}

function keyOf(kind: string, message: string): string {
  return JSON.stringify([kind, message]);
}
