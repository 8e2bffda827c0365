import path from "node:path";

import { buildStatement } from "../../provenance/statement.ts";
import { type Fact, isUnknown } from "../../schema/fact.ts";
import type { Invocation } from "../../schema/invocation.ts";
import type { ProvenancePredicate } from "../../schema/provenance.ts";
import type { JsonObject } from "../../support/json.ts";
import { roundedMs } from "../../support/timestamps.ts";
import type { Lineage, Parent } from "../lineage.ts";
import type { PreparedRun } from "../run-state.ts";
import type { SuiteCode } from "../suite/suite.ts";
import type { Execution } from "../trials/execute.ts";
import { type Tally, usageFacts } from "../trials/tally.ts";
import type { Ending } from "./ending.ts";
import { metricSection } from "./metric-provenance.ts";
import { targetSections } from "./target-provenance.ts";

export interface ProvenanceRequest {
  readonly run: PreparedRun;
  readonly execution: Execution;
  readonly lineage: Lineage;
  readonly ending: Ending;
  /** Each start of the run, this one last. */
  readonly invocations: readonly Invocation[];
  readonly subjects: readonly { readonly name: string; readonly sha256: string }[];
}

type Predicate = ProvenancePredicate;

/** The statement of what made the bundle: each fact a value, or why it is not known. */
export function runProvenance(request: ProvenanceRequest): JsonObject {
  const { run, execution, lineage, invocations, subjects } = request;
  const { suite, environment } = run;
  const { tally } = execution;
  const predicate: Predicate = {
    run: runSection(request),
    ...targetSections(run, tally.totals),
    digests: { ...run.digests, code: run.digests.code ?? builtByProgram },
    codeFiles: suite.code === null ? builtByProgram : codeFiles(suite.code),
    assay: environment.assay,
    source: environment.source,
    host: environment.host,
    tasks: tasksSection(run),
    parameters: suite.parameters,
    metrics: run.metricFacts.map(metricSection),
    invocations: [...invocations],
    time: timeSection(tally),
    usage: usageSection(tally, run.info.kind),
    cache: tally.totals.cache(),
    redactions: redactionSums(invocations),
    labels: run.labels,
    parents: [...resumedFrom(run, invocations), ...lineage.parents.map(parentSection)],
  };
  return buildStatement({ subjects, predicate });
}

const builtByProgram = { unknown: "the suite was built by a program" };

function runSection({ run, ending }: ProvenanceRequest): Predicate["run"] {
  return {
    id: run.runId,
    invocationId: run.invocationId,
    suiteName: run.suite.name,
    status: ending.status,
    statusCause: ending.cause,
  };
}

function codeFiles(code: SuiteCode) {
  return [
    ...code.files.map((file) => ({ ...file, loaded: "before_run" as const })),
    ...code.later().files.map((file) => ({ ...file, loaded: "during_run" as const })),
  ];
}

function tasksSection({ tasks, plan, suite }: PreparedRun): Predicate["tasks"] {
  const { tasksFrom, baseDir, code } = suite;
  const place = tasksFrom ?? code?.entry;
  const location =
    place === undefined
      ? builtByProgram
      : path.relative(baseDir, path.resolve(baseDir, place)).split(path.sep).join("/");
  return { count: tasks.length, trialsPerTask: plan.trialsPerTask, location };
}

function timeSection({ totals }: Tally): Predicate["time"] {
  return {
    attemptsMs: totals.attemptsMs(),
    queueMs: roundedMs(totals.queueMs),
    phasesMs: totals.phasesMs(),
  };
}

function usageSection(tally: Tally, kind: PreparedRun["info"]["kind"]): Predicate["usage"] {
  const usage = usageFacts(tally, kind);
  const priceTable =
    typeof usage.costUsd === "number"
      ? { unknown: "costs are as the target told them; Assay has no prices of its own" }
      : { unknown: "no costs are known" };
  return { attempts: tally.attempts, ...usage, priceTable };
}

/** A start that was killed did not tell what it removed. */
function redactionSums(invocations: readonly Invocation[]): Predicate["redactions"] {
  const sums: Record<string, number> = {};
  for (const { redactions } of invocations) {
    if (isUnknown(redactions)) continue;
    for (const [rule, count] of Object.entries(redactions)) sums[rule] = (sums[rule] ?? 0) + count;
  }
  return sums;
}

/** The starts of this run that later ones went on with, the nearest first. */
function resumedFrom(
  { runId, info }: PreparedRun,
  invocations: readonly Invocation[],
): Predicate["parents"] {
  const parents = invocations.slice(1).map(({ resumedFrom: bundleDigest }, index) => {
    const { digests = unsaid, toolVersion = null } = invocations[index] ?? {};
    return {
      relation: "resumed" as const,
      runId,
      target: { ...info, version: typeof toolVersion === "string" ? toolVersion : null },
      bundleDigest: orUnknown(bundleDigest, "it ended without being sealed"),
      digests,
      tasksLeftOut: 0,
    };
  });
  return parents.reverse();
}

const unsaid = { unknown: "the parent bundle does not say" };

function parentSection({
  relation,
  runId,
  target,
  bundleDigest,
  digests,
  tasksLeftOut,
}: Parent): Predicate["parents"][number] {
  return {
    relation,
    runId,
    target,
    bundleDigest: bundleDigest ?? unsaid,
    digests: digests ?? unsaid,
    tasksLeftOut,
  };
}

function orUnknown<T>(value: T | null, reason: string): Fact<T> {
  return value ?? { unknown: reason };
}
