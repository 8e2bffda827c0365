import { redactRecord } from "../../bundle/redact-record.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { type PlanRecord, planRecordSchema } from "../../schema/plan.ts";
import { canonicalJson } from "../../support/canonical-json.ts";
import type { JsonObject, JsonValue } from "../../support/json.ts";
import { listNames } from "../../support/names.ts";
import type { PreparedRun } from "../run-state.ts";

/** What differs between the plan of a run and what is to go on with it, a sentence each. */
export interface PlanDifferences {
  /** Other results would be asked for: never accepted. */
  readonly refused: readonly string[];
  /** The same was asked for and means something else now: code, tools, content. */
  readonly drift: readonly string[];
  /** More of the same. */
  readonly extensions: readonly string[];
}

/** The plan of this start as it would be stored: without secrets, like the one on disk. */
export function storedForm({
  record,
  redactor,
}: Pick<PreparedRun, "record" | "redactor">): PlanRecord {
  return redactRecord(planRecordSchema, record, redactor, "settings");
}

export function comparePlans(stored: PlanRecord, next: PlanRecord): PlanDifferences {
  const added = addedTasks(stored, next);
  const metrics = metricDifferences(stored, next, added.length > 0);
  return {
    refused: [
      ...differing("suite name", stored.suiteName, next.suiteName),
      ...settingDifferences(stored, next),
      ...mapDifferences("parameter", stored.parameters, next.parameters),
      ...labelDifferences(stored, next),
      ...metrics,
      ...taskDifferences(stored, next, metrics.length > 0),
      ...fewerTrials(stored, next),
    ],
    drift: [
      ...differing("version of the target", stored.target.version, next.target.version),
      ...mapDifferences("found by the probe:", stored.target.resolved, next.target.resolved),
      ...codeDifferences(stored, next),
      ...differing("lockfile", stored.lockfileSha256, next.lockfileSha256),
      ...differing("content of seeds or held-out files", stored.contentDigest, next.contentDigest),
    ],
    extensions: [...moreTrials(stored, next), ...added],
  };
}

/** Throws `ASSAY_RESUME_DIFFERS` with every difference that is not accepted. Answers those that were. */
export function acceptDifferences(
  { refused, drift, extensions }: PlanDifferences,
  { allowDrift, dir }: { readonly allowDrift: boolean; readonly dir: string },
): readonly string[] {
  const differences = allowDrift ? refused : [...refused, ...drift];
  if (differences.length === 0) return [...drift, ...extensions];
  const isDriftOnly = refused.length === 0;
  throw new AssayError(
    "ASSAY_RESUME_DIFFERS",
    `the run in "${dir}" cannot be resumed, for these differ from its plan:\n${differences.map((text) => `  - ${text}`).join("\n")}`,
    {
      data: { path: dir, differences: [...differences] },
      ...(isDriftOnly
        ? { remedy: "Undo them, or go on with them by `--allow-drift`, which is recorded." }
        : {}),
    },
  );
}

function settingDifferences({ target: a }: PlanRecord, { target: b }: PlanRecord): string[] {
  return [
    ...differing("target", a.name, b.name),
    ...mapDifferences("target option", a.shaping, b.shaping),
  ];
}

/** Labels may be added. */
function labelDifferences(stored: PlanRecord, next: PlanRecord): string[] {
  return Object.entries(stored.labels).flatMap(([key, value]) =>
    differing(`label "${key}"`, value, next.labels[key] ?? null),
  );
}

function metricDifferences(stored: PlanRecord, next: PlanRecord, mayBeAdded: boolean): string[] {
  const names = [...new Set([...Object.keys(stored.metrics), ...Object.keys(next.metrics)])];
  return names.flatMap((name) => {
    const [was, is] = [stored.metrics[name], next.metrics[name]];
    if (was === undefined) return mayBeAdded ? [] : [`metric "${name}" was added`];
    if (is === undefined) return [`metric "${name}" was removed`];
    if (was.digest === is.digest) return [];
    const changes = mapDifferences("", was.config, is.config).map((text) => text.trim());
    return [`metric "${name}" changed${changes.length === 0 ? "" : `: ${changes.join("; ")}`}`];
  });
}

const shownTasks = 5;

/** The digest of a task has its metrics in it. */
function taskDifferences(
  stored: PlanRecord,
  next: PlanRecord,
  haveMetricsChanged: boolean,
): string[] {
  const digests = new Map(next.tasks.map(({ id, digest }) => [id, digest]));
  const gone = stored.tasks.filter(({ id }) => !digests.has(id));
  const changed = stored.tasks.filter(({ id, digest }) => (digests.get(id) ?? digest) !== digest);
  return [
    ...named("not selected or not in the suite any more", gone),
    ...named(haveMetricsChanged ? "changed, by their metrics or otherwise" : "changed", changed),
  ];
}

function named(what: string, tasks: readonly { readonly id: string }[]): string[] {
  if (tasks.length === 0) return [];
  const ids = tasks.map(({ id }) => `"${id}"`);
  return [`${tasks.length === 1 ? "task" : "tasks"} ${what}: ${listNames(ids, shownTasks)}`];
}

function addedTasks(stored: PlanRecord, next: PlanRecord): string[] {
  const known = new Set(stored.tasks.map(({ id }) => id));
  return named(
    "added",
    next.tasks.filter(({ id }) => !known.has(id)),
  );
}

function fewerTrials({ trialsPerTask: was }: PlanRecord, { trialsPerTask: is }: PlanRecord) {
  return is < was ? differing("trials per task", was, is) : [];
}

function moreTrials({ trialsPerTask: was }: PlanRecord, { trialsPerTask: is }: PlanRecord) {
  return is > was ? differing("trials per task", was, is) : [];
}

function codeDifferences(stored: PlanRecord, next: PlanRecord): string[] {
  const [was, is] = [filesOf(stored), filesOf(next)];
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap((file) => {
    if (was.get(file) === is.get(file)) return [];
    const how = !was.has(file) ? "was added" : is.has(file) ? "changed" : "is gone";
    return [`code: ${file} ${how}`];
  });
}

function filesOf({ codeFiles }: PlanRecord): Map<string, string> {
  return new Map((codeFiles ?? []).map(({ path, sha256 }) => [path, sha256]));
}

function mapDifferences(what: string, was: JsonObject, is: JsonObject): string[] {
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort();
  return keys.flatMap((key) => differing(`${what} ${key}`, was[key] ?? null, is[key] ?? null));
}

const shownLength = 200;

function differing(what: string, was: JsonValue, is: JsonValue): string[] {
  const [before, after] = [canonicalJson(was), canonicalJson(is)];
  return before === after ? [] : [`${what}: ${shown(before)} is now ${shown(after)}`];
}

function shown(text: string): string {
  return text.length > shownLength ? `${text.slice(0, shownLength)}...` : text;
}
