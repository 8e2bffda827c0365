import type { RedactionStream } from "../../contracts/redactor.ts";
import type { FormSearch } from "./search.ts";
import { redactedMark } from "./secret.ts";

const mark = Buffer.from(redactedMark, "latin1");
const nothing = Buffer.alloc(0);

/**
 * Redacts one stream of bytes. Bytes are read as Latin-1, one character each, so any data is searched as it is.
 * A place is decided only when the longest form would be seen whole behind it: chunk borders change nothing.
 */
export function openRedactionStream(search: FormSearch, countValue: () => void): RedactionStream {
  const heldBack = Math.max(0, search.longest - 1);
  let pending: Buffer = nothing;
  /** Bytes at the start of `pending` that belong to a secret already replaced. */
  let covered = 0;
  let count = 0;

  const release = (limit: number): Uint8Array => {
    const parts: Uint8Array[] = [];
    const text = pending.toString("latin1");
    let match = search.next(text, 0, limit);
    while (match !== null) {
      if (match.start >= covered) {
        parts.push(pending.subarray(covered, match.start), mark);
        count += 1;
        countValue();
      }
      covered = Math.max(covered, match.end);
      match = search.next(text, match.start + 1, limit);
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
