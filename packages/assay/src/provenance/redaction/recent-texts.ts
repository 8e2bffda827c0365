const slotCount = 64;
/** A longer one does not come again soon. */
const maxLength = 256;

/**
 * Some of the short texts that came last: names and ids stand in row after row. A table without order, for a set would cost
 * nearly what a look at such a text does: each text has one place, and whoever comes later takes it.
 */
export class RecentTexts {
  readonly #slots: string[] = Array.from({ length: slotCount }, () => "");

  has(text: string): boolean {
    return text.length <= maxLength && this.#slots[slotOf(text)] === text;
  }

  add(text: string): void {
    if (text.length <= maxLength) this.#slots[slotOf(text)] = text;
  }
}

/** Ids differ at their ends. */
function slotOf(text: string): number {
  const { length } = text;
  const last = text.charCodeAt(length - 1);
  const middle = text.charCodeAt(length >> 1);
  return (length + last * 7 + middle * 13) & (slotCount - 1);
}
