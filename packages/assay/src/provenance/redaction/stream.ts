import type { RedactionStream } from "../../contracts/redactor.ts";
import type { FormSearch, Match } from "./search.ts";
import { redactedMark } from "./secret.ts";
import type { TornSearch } from "./torn.ts";

const mark = Buffer.from(redactedMark, "latin1");
const nothing = Buffer.alloc(0);

/**
 * Redacts one stream of bytes. Bytes are read as Latin-1, one character each, so any data is searched as it is.
 * A place is decided only when the longest form would be seen whole behind it: chunk borders change nothing. Pieces of
 * secrets at both ends are removed too: the stream may have been cut before it came here.
 */
export function openRedactionStream(
  { whole, torn }: { readonly whole: FormSearch; readonly torn: TornSearch },
  countValue: () => void,
): RedactionStream {
  const heldBack = Math.max(0, whole.longest - 1);
  let pending: Buffer = nothing;
  /** Bytes at the start of `pending` that belong to a secret already replaced. */
  let covered = 0;
  let isAtStart = true;
  let count = 0;

  const remove = ({ start, end }: Match, parts: Uint8Array[]): void => {
    if (start >= covered) {
      parts.push(pending.subarray(covered, start), mark);
      count += 1;
      countValue();
    }
    covered = Math.max(covered, end);
  };

  const release = (limit: number, isEnd: boolean): Uint8Array => {
    const parts: Uint8Array[] = [];
    const text = pending.toString("latin1");
    const startEnd = isAtStart ? torn.startPiece(text) : 0;
    isAtStart = false;
    if (startEnd > 0) remove({ start: 0, end: startEnd }, parts);
    const endStart = isEnd ? torn.endPiece(text) : limit;
    let match = whole.next(text, 0, endStart);
    while (match !== null) {
      remove(match, parts);
      match = whole.next(text, match.start + 1, endStart);
    }
    if (endStart < limit) remove({ start: endStart, end: limit }, parts);
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
      return pending.length > heldBack ? release(pending.length - heldBack, false) : nothing;
    },
    end: () => release(pending.length, true),
    get count() {
      return count;
    },
  };
}
