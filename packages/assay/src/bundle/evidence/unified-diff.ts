type Edit = readonly [" " | "-" | "+", string];

export interface DiffOptions {
  /** Named on both sides: `a/<path>` and `b/<path>`. */
  readonly path: string;
  /** Unchanged lines shown around a change. */
  readonly context: number;
}

/** Changes beyond which a shortest edit is not searched for: the whole differing part is replaced. */
const maxEdits = 1000;

/** A patch from one text to the other, as `diff -u` writes it; empty when they are equal. */
export function unifiedDiff(before: string, after: string, { path, context }: DiffOptions): string {
  if (before === after) return "";
  const edits = editsBetween(linesOf(before), linesOf(after));
  const hunks = hunksOf(edits, Math.max(0, context)).map((hunk) => formatHunk(edits, hunk));
  return `--- a/${path}\n+++ b/${path}\n${hunks.join("")}`;
}

/** Lines with what marks a missing newline at the end, so that it counts as a difference. */
function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return last === "" ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

function editsBetween(before: readonly string[], after: readonly string[]): Edit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start])
    start += 1;
  let endBefore = before.length;
  let endAfter = after.length;
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore -= 1;
    endAfter -= 1;
  }
  const same = (line: string): Edit => [" ", line];
  return [
    ...before.slice(0, start).map(same),
    ...shortestEdits(before.slice(start, endBefore), after.slice(start, endAfter)),
    ...before.slice(endBefore).map(same),
  ];
}

/** How far down each diagonal a number of edits leads; diagonals from `-edits` to `edits`. */
class Reach {
  readonly #ends: Int32Array;
  readonly #middle: number;
  constructor(maxDiagonal: number, ends = new Int32Array(2 * maxDiagonal + 3)) {
    this.#middle = maxDiagonal + 1;
    this.#ends = ends;
  }

  at(diagonal: number): number {
    return this.#ends[this.#middle + diagonal] ?? 0;
  }

  set(diagonal: number, end: number): void {
    this.#ends[this.#middle + diagonal] = end;
  }

  copy(): Reach {
    return new Reach(this.#middle - 1, this.#ends.slice());
  }

  /** Whether the best way to a diagonal takes a line of the new text, and not one away from the old. */
  isInsertion(diagonal: number, edits: number): boolean {
    return (
      diagonal === -edits || (diagonal !== edits && this.at(diagonal - 1) < this.at(diagonal + 1))
    );
  }
}

/** Myers, "An O(ND) Difference Algorithm": the furthest point on each diagonal, edit by edit. */
function shortestEdits(before: readonly string[], after: readonly string[]): Edit[] {
  const limit = Math.min(maxEdits, before.length + after.length);
  const reach = new Reach(limit);
  const history: Reach[] = [];
  for (let edits = 0; edits <= limit; edits += 1) {
    history.push(reach.copy());
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = reach.isInsertion(diagonal, edits)
        ? reach.at(diagonal + 1)
        : reach.at(diagonal - 1) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal])
        x += 1;
      reach.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length)
        return walkBack(before, after, history);
    }
  }
  return [...before.map((line): Edit => ["-", line]), ...after.map((line): Edit => ["+", line])];
}

function walkBack(
  before: readonly string[],
  after: readonly string[],
  history: readonly Reach[],
): Edit[] {
  const script: Edit[] = [];
  let x = before.length;
  let y = after.length;
  for (const [edits, reach] of [...history.entries()].reverse()) {
    const isInsertion = reach.isInsertion(x - y, edits);
    const diagonal = x - y + (isInsertion ? 1 : -1);
    const fromX = edits === 0 ? 0 : reach.at(diagonal);
    const fromY = edits === 0 ? 0 : fromX - diagonal;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      script.push([" ", before[x] ?? ""]);
    }
    if (edits > 0)
      script.push(isInsertion ? ["+", after[fromY] ?? ""] : ["-", before[fromX] ?? ""]);
    x = fromX;
    y = fromY;
  }
  return script.reverse();
}

interface Hunk {
  readonly from: number;
  readonly to: number;
}

function hunksOf(edits: readonly Edit[], context: number): Hunk[] {
  const hunks: Hunk[] = [];
  for (const [index, [mark]] of edits.entries()) {
    if (mark === " ") continue;
    const last = hunks.at(-1);
    const to = Math.min(edits.length, index + context + 1);
    if (last !== undefined && index - context <= last.to)
      hunks[hunks.length - 1] = { from: last.from, to };
    else hunks.push({ from: Math.max(0, index - context), to });
  }
  return hunks;
}

function formatHunk(edits: readonly Edit[], { from, to }: Hunk): string {
  const range = (mark: "-" | "+") => {
    const belongs = ([kind]: Edit) => kind === " " || kind === mark;
    const start = edits.slice(0, from).filter(belongs).length;
    const length = edits.slice(from, to).filter(belongs).length;
    return `${mark}${length === 0 ? start : start + 1}${length === 1 ? "" : `,${length}`}`;
  };
  const lines = edits.slice(from, to).map(([mark, line]) => `${mark}${line}\n`);
  return `@@ ${range("-")} ${range("+")} @@\n${lines.join("")}`;
}
