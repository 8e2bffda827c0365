import type { Metric } from "../contracts/metric.ts";
import type { RunnerKind } from "../schema/run-metadata.ts";
import { canonicalJson } from "../support/canonical-json.ts";
import { type DigestDomain, digestOf, digestWithList } from "../support/digest.ts";
import {
  isPlainObject,
  type JsonObject,
  type JsonValue,
  nonFiniteToken,
  setOwn,
} from "../support/json.ts";
import { compareText } from "../support/natural-order.ts";

export interface SettingsContent {
  readonly name: string;
  readonly kind: RunnerKind;
  /** The options that shape results, and no others. */
  readonly shaping: JsonObject;
}

export interface ResolvedContent {
  readonly settingsDigest: string;
  readonly toolVersion: string | null;
  /** What the probe found that has content. */
  readonly resolved: JsonObject;
  readonly codeDigest: string | null;
  /** Of the bytes that tasks and metrics refer to: seeds, held-out files. */
  readonly contentDigest: string | null;
}

export interface PlanContent {
  readonly settingsDigest: string;
  /** The selected tasks, in order. */
  readonly tasks: readonly { readonly id: string; readonly digest: string }[];
  readonly trialsPerTask: number;
  readonly metrics: readonly { readonly type: string; readonly digest: string }[];
}

/** What was asked of the target; known before anything runs. */
export function settingsDigest({ name, kind, shaping }: SettingsContent): string {
  return contentDigest("settings", { name, kind, shaping });
}

/** What was asked, and what it turned out to mean on this machine. */
export function resolvedDigest({
  settingsDigest,
  toolVersion,
  resolved,
  codeDigest,
  contentDigest: content,
}: ResolvedContent): string {
  return contentDigest("resolved", { settingsDigest, toolVersion, resolved, codeDigest, content });
}

/** What was to be done. The order of tasks counts, that of metrics does not. */
export function planDigest({ settingsDigest, tasks, trialsPerTask, metrics }: PlanContent): string {
  const content = {
    settingsDigest,
    trialsPerTask,
    metrics: metrics.map(({ type, digest }) => ({ type, digest })).sort(byTypeThenDigest),
  };
  const stored = storedContent(content) as JsonObject;
  return digestWithList("plan", stored, "tasks", storedTasks(tasks));
}

function* storedTasks(tasks: PlanContent["tasks"]): Generator<unknown> {
  for (const { id, digest } of tasks) yield storedContent({ id, digest });
}

/** A task by its row of `tasks.jsonl`. Its metrics are a set: their order does not count. */
export function taskDigest(row: JsonObject): string {
  const { metrics } = row;
  if (!Array.isArray(metrics)) return contentDigest("task", row);
  const keyed = metrics.map((metric: JsonValue) => ({
    metric,
    key: canonicalJson(storedContent(metric)),
  }));
  const sorted = keyed.sort((a, b) => compareText(a.key, b.key)).map(({ metric }) => metric);
  return contentDigest("task", { ...row, metrics: sorted });
}

/** A metric by everything about it that shapes its scores. */
export function metricDigest({ type, version, config, outputs }: Metric): string {
  const declared = outputs.map(({ name, kind, absent, model }) => ({
    name,
    kind,
    absent,
    model: model?.name ?? null,
  }));
  return contentDigest("metric", { type, version, config, outputs: declared });
}

function contentDigest(domain: DigestDomain, content: object): string {
  return digestOf(domain, storedContent(content));
}

const loneSurrogate = /\p{Surrogate}/u;
const escapedPrefix = "\uFFFFjson:";

/** Content as it would be stored: what canonical JSON cannot hold is spelt in a way nothing else is. */
function storedContent(value: unknown): unknown {
  if (typeof value === "number") return nonFiniteToken(value) ?? value;
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return value.map(storedContent);
  if (!isPlainObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setOwn(result, wellFormed(key), storedContent(value[key]));
  return result;
}

function wellFormed(text: string): string {
  return loneSurrogate.test(text) || text.startsWith(escapedPrefix)
    ? escapedPrefix + JSON.stringify(text)
    : text;
}

function byTypeThenDigest(
  a: { type: string; digest: string },
  b: { type: string; digest: string },
): number {
  return compareText(a.type, b.type) || compareText(a.digest, b.digest);
}
