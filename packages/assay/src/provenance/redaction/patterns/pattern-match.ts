import type { Match } from "../search.ts";

/** A part of a text that looks like a credential, by the rule that says so. */
export interface PatternMatch extends Match {
  readonly rule: string;
}
