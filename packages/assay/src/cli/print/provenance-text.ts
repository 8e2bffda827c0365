import path from "node:path";

import type { EvalResult } from "../../entries/index.ts";
import { visibleLine } from "../../entries/index.ts";

const labelWidth = 10;

/** What made a result, for people; `statement` is the stored one, or null in bundles of other writers. */
export function provenanceLines(
  { target, labels, startedAt, durationSec, sdkVersion }: EvalResult["metadata"],
  statement: unknown,
): readonly string[] {
  const predicate = valueAt(statement, ["predicate"]);
  const fact = (...keys: string[]) => factText(valueAt(predicate, keys));
  const digests = ["settings", "resolved", "plan", "tasks", "code"].map((name) =>
    row(name, fact("digests", name)),
  );
  const version = target?.version ?? null;
  return [
    ...row(
      "target",
      target === null
        ? "unknown"
        : [target.name, version ?? "", `(${target.kind})`].filter(Boolean).join(" "),
    ),
    ...row("assay", sdkVersion ?? "unknown"),
    ...row("started", `${startedAt}, took ${durationSec.toFixed(1)} s`),
    ...row(
      "labels",
      Object.entries(labels)
        .map(([name, value]) => `${name}=${value}`)
        .join(" ") || null,
    ),
    ...(predicate === undefined ? row("digests", "no provenance.json") : digests.flat()),
    ...row("git", gitText(fact("source", "commit"), valueAt(predicate, ["source", "is_dirty"]))),
    ...parentLines(valueAt(predicate, ["parents"])),
  ];
}

/** How it ended and where it is; the last line is the digest of the bundle. */
export function endingLines(
  { status, statusCause, workDir, bundleDigest }: EvalResult,
  cwd: string,
): readonly string[] {
  const relative = path.relative(cwd, workDir);
  const shown = relative === "" ? "." : relative.startsWith("..") ? workDir : relative;
  return [
    ...row("bundle", shown),
    ...row("status", statusCause === null ? status : `${status}: ${statusCause}`),
    bundleDigest === "" ? "no digest: the bundle has no provenance.json" : bundleDigest,
  ];
}

function row(label: string, text: string | null): readonly string[] {
  return text === null ? [] : [`${label.padEnd(labelWidth)}${visibleLine(text)}`];
}

function gitText(commit: string | null, isDirty: unknown): string | null {
  return commit === null || isDirty !== true
    ? commit
    : `${commit} with changes that are not committed`;
}

function parentLines(parents: unknown): readonly string[] {
  if (!Array.isArray(parents)) return [];
  return parents.flatMap((parent: unknown) => {
    const [relation, runId, digest] = ["relation", "run_id", "bundle_digest"].map((key) =>
      factText(valueAt(parent, [key])),
    );
    return row(relation ?? "parent", [runId, digest].filter((text) => text !== null).join(" "));
  });
}

/** A fact as text: its value, or why it is not known. */
function factText(fact: unknown): string | null {
  if (fact === undefined || fact === null) return null;
  if (typeof fact === "string") return fact;
  const reason = valueAt(fact, ["unknown"]);
  return typeof reason === "string" ? `unknown: ${reason}` : JSON.stringify(fact);
}

function valueAt(value: unknown, keys: readonly string[]): unknown {
  let at = value;
  for (const key of keys) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}
