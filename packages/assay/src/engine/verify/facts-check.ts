import { bundleFiles } from "../../bundle/layout.ts";
import type { Problems } from "../../bundle/verify/problems.ts";
import type { Manifest } from "../../schema/manifest.ts";
import type { PlanRecord } from "../../schema/plan.ts";
import type { ProvenancePredicate } from "../../schema/provenance.ts";
import type { RunMetadata } from "../../schema/run-metadata.ts";
import { type Tally, usageFacts } from "../trials/tally.ts";
import { comparableText } from "./comparable-text.ts";
import type { RowCounts } from "./verification.ts";

export interface StoredFacts {
  readonly manifest: Manifest;
  readonly plan: PlanRecord | null;
  readonly metadata: RunMetadata | null;
  readonly predicate: ProvenancePredicate | null;
  readonly counts: RowCounts;
  readonly tally: Tally;
  /** In the order of their rows. */
  readonly taskIds: Iterable<string>;
}

/** Whether the documents say the same as each other, and as the rows. */
export function checkFacts(facts: StoredFacts, problems: Problems): void {
  const { manifest, plan, metadata, predicate, counts } = facts;
  const same = comparison(problems);
  const {
    plan: planFile,
    metadata: metadataFile,
    manifest: manifestFile,
    provenance,
  } = bundleFiles;
  if (plan !== null) {
    same(planFile, "run_id", plan.runId, manifest.runId);
    checkPlannedTasks(plan, facts.taskIds, problems);
  }
  if (predicate === null) return;
  const { run, runner, digests, labels, usage } = predicate;
  same(manifestFile, "status_cause", manifest.statusCause ?? null, run.statusCause);
  same(manifestFile, "invocations", manifest.invocations ?? [], predicate.invocations);
  same(provenance, "tasks.count", predicate.tasks.count, counts.tasks);
  same(provenance, "usage.attempts", usage.attempts, counts.attempts);
  const counted = usageFacts(facts.tally, runner.kind);
  same(provenance, "usage.prompt_tokens", usage.promptTokens, counted.promptTokens);
  same(provenance, "usage.completion_tokens", usage.completionTokens, counted.completionTokens);
  same(provenance, "usage.cost_usd", usage.costUsd, counted.costUsd);
  if (plan !== null) {
    same(planFile, "suite_name", plan.suiteName, run.suiteName);
    same(planFile, "trials_per_task", plan.trialsPerTask, predicate.tasks.trialsPerTask);
    same(planFile, "settings_digest", plan.settingsDigest, digests.settings);
    same(planFile, "resolved_digest", plan.resolvedDigest, digests.resolved);
    same(planFile, "plan_digest", plan.planDigest, digests.plan);
    if (plan.codeDigest !== null) same(planFile, "code_digest", plan.codeDigest, digests.code);
  }
  if (metadata === null) return;
  const { name, kind, version, config } = runner;
  same(metadataFile, "target", metadata.target, { name, kind, version, config });
  same(metadataFile, "labels", metadata.labels, labels);
  same(metadataFile, "sdk_version", metadata.sdkVersion, predicate.assay.version);
}

function checkPlannedTasks(
  { tasks }: PlanRecord,
  rows: Iterable<string>,
  problems: Problems,
): void {
  const ids = [...rows];
  const index = tasks.findIndex(({ id }, position) => id !== ids[position]);
  if (index === -1 && tasks.length === ids.length) return;
  const place = index === -1 ? tasks.length : index;
  const [planned, found] = [tasks[place]?.id, ids[place]].map((id) => JSON.stringify(id ?? null));
  const message = `task number ${place} is ${planned}, and ${found} in ${bundleFiles.tasks}`;
  problems.add(bundleFiles.plan, "disagrees", message);
}

function comparison(problems: Problems) {
  return (file: string, what: string, found: unknown, expected: unknown) => {
    const [is, other] = [comparableText(found), comparableText(expected)];
    if (is === other) return;
    const values = is.length + other.length <= longestShown ? `: ${is} and ${other}` : "";
    problems.add(file, "disagrees", `${what} is not what other files say${values}`);
  };
}

const longestShown = 200;
