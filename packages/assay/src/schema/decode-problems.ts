import type { z } from "zod";

import { AssayError } from "../errors/assay-error.ts";
import { didYouMean } from "../support/names.ts";
import type { UnknownKey } from "./wire-mapper.ts";

/** Where a value came from, for messages, and what a problem with it means. */
export interface DecodeSource {
  /** Named first in the message: a file and line, a flag, a suite. */
  readonly source: string;
  /** Names it more closely for one path, with the line where it lies. */
  readonly place?: (path: readonly PropertyKey[]) => string;
  readonly code?:
    | "ASSAY_CONFIG_INVALID"
    | "ASSAY_BUNDLE_DAMAGED"
    | "ASSAY_TASK_INVALID"
    | "ASSAY_TRIALS_INVALID"
    | "ASSAY_SUITE_INVALID"
    | "ASSAY_TARGET_INVALID"
    | "ASSAY_TRAJECTORY_INVALID";
}

type Issue = z.core.$ZodIssue;

const maxShown = 5;

export function unknownKeyError(
  { path, key, known }: UnknownKey,
  { source, place }: DecodeSource,
): AssayError {
  const at = formatPath([...path, key]);
  const hint = didYouMean(key, known);
  const list = hint === "" && known.length > 0 ? `; known here: ${known.join(", ")}` : "";
  const from = place?.([...path, key]) ?? source;
  return new AssayError("ASSAY_CONFIG_UNKNOWN_KEY", `${from}: unknown key "${at}"${hint}${list}`, {
    data: { key: at },
  });
}

/** One error for all issues; `spell` gives a path as the reader wrote it. */
export function problemsError(
  issues: readonly Issue[],
  { source, place, code = "ASSAY_CONFIG_INVALID" }: DecodeSource,
  spell: (path: readonly PropertyKey[]) => readonly PropertyKey[],
): AssayError {
  const shown = issues.slice(0, maxShown).map((issue) => {
    const at = formatPath(spell(issue.path));
    return at === "" ? issue.message : `${at}: ${issue.message}`;
  });
  const more = issues.length > maxShown ? ` (and ${issues.length - maxShown} more)` : "";
  const from = place?.(spell(issues[0]?.path ?? [])) ?? source;
  return new AssayError(code, `${from}: ${shown.join("; ")}${more}`);
}

/**
 * The issues with each "no member of the union fits" replaced by those of the member that was probably meant:
 * the one whose problem lies deepest, then the one with the fewest.
 */
export function issuesOf({ issues }: Pick<z.core.$ZodError, "issues">): readonly Issue[] {
  return issues.flatMap(explain);
}

function explain(issue: Issue): readonly Issue[] {
  if (issue.code !== "invalid_union") return [issue];
  const members = issue.errors.map((errors) => errors.flatMap(explain));
  const [meant] = members
    .filter((member) => member.some(({ path }) => path.length > 0) || hasUnknownKey(member))
    .sort((a, b) => depthOf(b) - depthOf(a) || a.length - b.length);
  if (meant !== undefined) return meant.map((inner) => withPath(inner, issue.path));
  const messages = [...new Set(members.flat().map(({ message }) => message))];
  return messages.length === 0 ? [issue] : [{ ...issue, message: messages.join(", or ") }];
}

function withPath(issue: Issue, parent: readonly PropertyKey[]): Issue {
  return { ...issue, path: [...parent, ...issue.path] };
}

function hasUnknownKey(issues: readonly Issue[]): boolean {
  return issues.some(({ code }) => code === "unrecognized_keys");
}

function depthOf(issues: readonly Issue[]): number {
  return Math.max(...issues.map(({ path }) => path.length));
}

/** `inputs.files["a.txt"][2]` */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const segment of path) {
    const name = String(segment);
    if (typeof segment === "number") text += `[${segment}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(name)) text += text === "" ? name : `.${name}`;
    else text += `[${JSON.stringify(name)}]`;
  }
  return text;
}
