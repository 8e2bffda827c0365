import { buildStatement } from "../../provenance/statement.ts";
import type { Fact } from "../../schema/fact.ts";
import type { Invocation } from "../../schema/invocation.ts";
import type { ProvenancePredicate } from "../../schema/provenance.ts";
import type { JsonObject } from "../../support/json.ts";
import type { Lineage, Parent } from "../lineage.ts";
import type { PreparedRun } from "../run-state.ts";
import type { SuiteCode } from "../suite/suite.ts";
import type { Execution } from "../trials/execute.ts";
import type { Tally } from "../trials/tally.ts";
import type { Ending } from "./ending.ts";

export interface ProvenanceRequest {
  readonly run: PreparedRun;
  readonly execution: Execution;
  readonly lineage: Lineage;
  readonly ending: Ending;
  /** Each start of the run, this one last. */
  readonly invocations: readonly Invocation[];
  readonly subjects: readonly { readonly name: string; readonly sha256: string }[];
}

/** The statement of what made the bundle: each fact a value, or why it is not known. */
export function runProvenance(request: ProvenanceRequest): JsonObject {
  const { run, execution, lineage, ending, subjects } = request;
  const { suite, tool, platform } = run;
  const predicate: ProvenancePredicate = {
    run: { id: run.runId, suiteName: suite.name, status: ending.status, statusCause: ending.cause },
    assay: { version: platform.assayVersion },
    runner: { ...run.info, origins: run.target.options.origins, roles: run.target.options.roles },
    tool:
      tool === null
        ? { unknown: "the runner has no probe" }
        : {
            version: orUnknown(tool.version, "the tool has no version"),
            resolved: tool.resolved,
            observed: tool.observed ?? {},
          },
    digests: {
      ...run.digests,
      code: orUnknown(run.digests.code, "the suite was built by a program"),
    },
    codeFiles: orUnknown(
      suite.code === null ? null : codeFiles(suite.code),
      "the suite was built by a program",
    ),
    source: run.source,
    host: hostRecord(platform.host),
    tasks: { count: run.tasks.length, trialsPerTask: run.plan.trialsPerTask },
    parameters: suite.parameters,
    metrics: run.metricFacts.map(({ type, version, digest }) => ({ type, version, digest })),
    invocations: [...request.invocations],
    usage: usageFacts(execution.tally),
    redactions: run.redactor.counts(),
    labels: run.labels,
    parents: lineage.parents.map(parentFacts),
  };
  return buildStatement({ subjects, predicate });
}

function codeFiles(code: SuiteCode) {
  return [
    ...code.files.map((file) => ({ ...file, loaded: "before_run" as const })),
    ...code.later().files.map((file) => ({ ...file, loaded: "during_run" as const })),
  ];
}

function orUnknown<T>(value: T | null | undefined, reason: string): Fact<T> {
  return value ?? { unknown: reason };
}

function hostRecord({
  os,
  osRelease,
  architecture,
  cpuCount,
  nodeVersion,
}: PreparedRun["platform"]["host"]) {
  return { os, osRelease, architecture, cpuCount, nodeVersion };
}

function usageFacts({
  attempts,
  promptTokens,
  completionTokens,
  costUsd,
}: Tally): ProvenancePredicate["usage"] {
  return { attempts, promptTokens, completionTokens, costUsd };
}

function parentFacts({
  relation,
  runId,
  target,
  bundleDigest,
  digests,
  tasksLeftOut,
}: Parent): ProvenancePredicate["parents"][number] {
  const reason = "the parent bundle does not say";
  return {
    relation,
    runId,
    target,
    bundleDigest: orUnknown(bundleDigest, reason),
    digests: orUnknown(digests, reason),
    tasksLeftOut,
  };
}
