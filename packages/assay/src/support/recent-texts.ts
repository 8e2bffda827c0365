const slotCount = 256;
/** A longer one does not come again soon. */
const maxLength = 256;

/**
 * What was found out about some of the short texts that came last: names and ids stand in row after row. A table without
 * order, for a map would cost nearly what a look at such a text does: each text has one place, and whoever comes later
 * takes it.
 */
export class RecentTexts {
  readonly #texts: (string | null)[] = Array.from({ length: slotCount }, () => null);
  readonly #values: string[] = Array.from({ length: slotCount }, () => "");

  /** What was set for a text, if it is still known. */
  get(text: string): string | null {
    if (text.length > maxLength) return null;
    const slot = slotOf(text);
    return this.#texts[slot] === text ? (this.#values[slot] as string) : null;
  }

  set(text: string, value: string): void {
    if (text.length > maxLength) return;
    const slot = slotOf(text);
    this.#texts[slot] = text;
    this.#values[slot] = value;
  }
}

/** Ids differ at their ends. */
function slotOf(text: string): number {
  const { length } = text;
  const last = text.charCodeAt(length - 1);
  const middle = text.charCodeAt(length >> 1);
  return (length * 31 + last * 7 + middle * 13) & (slotCount - 1);
}
