import type { PatternMatch } from "./pattern-match.ts";
import { lintMatches } from "./secretlint.ts";

/** What a rule sees at once, and what it sees of the text around: its expressions are not made for texts of megabytes. */
const partSize = 16 * 1024;
const around = 1024;

/** Where one of secretlint's rules may know more. Each is asked once about a part of the text, however often it is asked for. */
export class LintRequests {
  readonly #parts = new Map<string, Set<number>>();

  add(rule: string, at: number): void {
    const part = Math.floor(at / partSize);
    const parts = this.#parts.get(rule);
    if (parts === undefined) this.#parts.set(rule, new Set([part]));
    else parts.add(part);
  }

  matchesIn(text: string): readonly PatternMatch[] {
    const found: PatternMatch[] = [];
    for (const [rule, parts] of this.#parts) {
      for (const part of parts) {
        const from = Math.max(0, part * partSize - around);
        for (const { start, end } of lintMatches(
          rule,
          text.slice(from, (part + 1) * partSize + around),
        ))
          found.push({ rule, start: start + from, end: end + from });
      }
    }
    return found;
  }
}
