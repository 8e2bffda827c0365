import type { RedactionStream } from "../../contracts/redactor.ts";
import { removalsIn, type Searches } from "./removals.ts";
import { redactedMark } from "./secret.ts";
import { longestMark } from "./torn.ts";

const mark = Buffer.from(redactedMark, "latin1");
const nothing = Buffer.alloc(0);

/**
 * Redacts one stream of bytes. Bytes are read as Latin-1, one character each, so any data is searched as it is.
 * A place is decided only when the longest form, and a mark that may say it was cut, would be seen whole behind it: chunk
 * borders change nothing.
 */
export function openRedactionStream(searches: Searches, countValue: () => void): RedactionStream {
  const { longest } = searches.whole;
  const heldBack = longest === 0 ? 0 : longest + longestMark;
  let pending: Buffer = nothing;
  /** Bytes at the start of `pending` that belong to a secret already replaced. */
  let covered = 0;
  let count = 0;

  const release = (limit: number): Uint8Array => {
    const parts: Uint8Array[] = [];
    for (const { start, end } of removalsIn(pending.toString("latin1"), searches, limit)) {
      if (start >= covered) {
        parts.push(pending.subarray(covered, start), mark);
        count += 1;
        countValue();
      }
      covered = Math.max(covered, end);
    }
    if (covered < limit) parts.push(pending.subarray(covered, limit));
    pending = pending.subarray(limit);
    covered = Math.max(0, covered - limit);
    return parts.length === 1 ? (parts[0] ?? nothing) : Buffer.concat(parts);
  };

  return {
    lookahead: heldBack,
    push(chunk) {
      if (heldBack === 0) return chunk;
      const added = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      pending = Buffer.concat([pending, added]);
      return pending.length > heldBack ? release(pending.length - heldBack) : nothing;
    },
    end: () => release(pending.length),
    get count() {
      return count;
    },
  };
}
