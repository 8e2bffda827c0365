import type { RedactionStream } from "../../contracts/redactor.ts";
import { extentOf } from "./patterns/extent.ts";
import type { PatternMatch } from "./patterns/pattern-match.ts";
import { removalsIn, type Searches } from "./removals.ts";
import { redactedMark } from "./secret.ts";
import { longestMark } from "./torn.ts";

const mark = Buffer.from(redactedMark, "latin1");
const nothing = Buffer.alloc(0);

/** The stream is searched in blocks that lie where they lie, whatever the chunks are. */
const blockSize = 64 * 1024;
/** What is seen before and behind a block. A credential that reaches beyond goes on as long as a token does. */
const seenBefore = 2048;
const seenBehind = 32 * 1024;
const restOfToken = /(?:[A-Za-z0-9_+/=.~%\r\n-]|\\{1,16}[nr]){1,1000}/y;

/**
 * Redacts one stream of bytes. Bytes are read as Latin-1, one character each, so any data is searched as it is.
 * A block is decided only when enough is seen behind it for the longest form with a mark that may say it was cut, and for
 * any credential that is known by its looks: chunk borders change nothing.
 */
export function openRedactionStream(
  searches: Searches,
  count: (rule: string) => void,
): RedactionStream {
  const stream = new Stream(searches, count);
  return {
    lookahead: stream.heldBack,
    push: (chunk) => stream.push(chunk),
    end: () => stream.end(),
    get count() {
      return stream.count;
    },
  };
}

class Stream {
  readonly heldBack: number;
  count = 0;
  readonly #searches: Searches;
  readonly #countRule: (rule: string) => void;
  /** Not released yet, behind some that are and may stand before what is searched. */
  #kept: Buffer = nothing;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** Places in the whole stream: where `#kept` begins, what is released, what is replaced already, the next block. */
  #start = 0;
  #released = 0;
  #covered = 0;
  #nextBlock = 0;
  /** Where a credential ended only because no more was seen. */
  #openEnd: PatternMatch | null = null;
  /** By their starts, of the blocks that were searched. */
  readonly #found: PatternMatch[] = [];

  constructor(searches: Searches, countRule: (rule: string) => void) {
    this.#searches = searches;
    this.#countRule = countRule;
    this.heldBack = blockSize + Math.max(seenBehind, searches.whole.longest + longestMark);
  }

  push(chunk: Uint8Array): Uint8Array {
    this.#waiting.push(Buffer.from(chunk));
    this.#waitingBytes += chunk.byteLength;
    const limit = this.#start + this.#kept.length + this.#waitingBytes - this.heldBack;
    return limit > this.#released ? this.#release(limit) : nothing;
  }

  end(): Uint8Array {
    return this.#release(this.#start + this.#kept.length + this.#waitingBytes);
  }

  #release(limit: number): Uint8Array {
    this.#kept = Buffer.concat([this.#kept, ...this.#waiting]);
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (this.#nextBlock < limit) {
      const text = this.#kept.toString("latin1");
      for (; this.#nextBlock < limit; this.#nextBlock += blockSize) this.#searchBlock(text);
    }
    const parts: Uint8Array[] = [];
    for (const { rule, start, end } of this.#removalsBefore(limit)) {
      if (start >= this.#covered) {
        parts.push(this.#bytes(this.#covered, start), mark);
        this.count += 1;
        this.#countRule(rule);
      }
      this.#covered = Math.max(this.#covered, end);
    }
    parts.push(this.#bytes(this.#covered, limit));
    this.#covered = Math.max(this.#covered, limit);
    this.#forget(limit);
    return Buffer.concat(parts);
  }

  #removalsBefore(limit: number): readonly PatternMatch[] {
    const count = this.#found.findIndex(({ start }) => start >= limit);
    return this.#found.splice(0, count === -1 ? this.#found.length : count);
  }

  #searchBlock(text: string): void {
    const block = this.#nextBlock;
    const end = this.#start + text.length;
    const from = Math.max(this.#start, block - seenBefore);
    const to = Math.min(end, block + this.heldBack);
    const part = text.slice(from - this.#start, to - this.#start);
    const found = removalsIn(part, this.#searches, block + blockSize - from)
      .map((match) => ({ rule: match.rule, start: match.start + from, end: match.end + from }))
      .filter(({ start }) => start >= block);
    if (this.#openEnd !== null) {
      const { rule, end: start } = this.#openEnd;
      found.push({ rule, start, end: extentOf(part, start - from, restOfToken) + from });
    }
    this.#openEnd = found.find((match) => match.end === to && to < end) ?? null;
    this.#found.push(...found.sort((a, b) => a.start - b.start));
  }

  /** What stands before the next block is still looked at. */
  #forget(limit: number): void {
    const start = Math.max(this.#start, limit - seenBefore);
    this.#kept = this.#kept.subarray(start - this.#start);
    this.#start = start;
    this.#released = limit;
  }

  #bytes(start: number, end: number): Uint8Array {
    return start < end ? this.#kept.subarray(start - this.#start, end - this.#start) : nothing;
  }
}
