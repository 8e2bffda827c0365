import { resolve } from "node:path";

import { createEvidence } from "../../packages/assay/src/bundle/evidence/evidence.ts";
import type {
  Candidate,
  MetricContext,
  MetricInput,
  MetricRow,
} from "../../packages/assay/src/contracts/metric.ts";
import { createNodePlatform } from "../../packages/assay/src/platform/node-platform.ts";
import {
  evidenceSetSchema,
  normalizeEvidenceSet,
} from "../../packages/assay/src/schema/evidence.ts";
import type { JsonObject, JsonValue } from "../../packages/assay/src/support/json.ts";

const platform = createNodePlatform({});

export interface TrialOptions {
  readonly taskId?: string;
  readonly inputs?: JsonObject;
  readonly reference?: JsonObject;
  readonly status?: MetricRow["trial"]["status"];
  readonly outputText?: string | null;
  readonly response?: JsonValue | null;
  readonly metadata?: JsonObject;
  /** Folder of `final_state`, absolute. */
  readonly finalState?: string;
  /** Descriptors by name, in place of `finalState`. */
  readonly evidence?: JsonObject;
}

/** A trial as a metric gets it; its evidence is real. */
export function metricInput(options: TrialOptions = {}): MetricInput {
  const {
    taskId = "task-1",
    inputs = {},
    reference = {},
    status = "completed",
    metadata = {},
  } = options;
  return {
    row: {
      rowIndex: 0,
      task: { id: taskId, intent: "does what is asked", metadata: {} },
      inputs,
      reference,
      trial: { id: `${taskId}:test`, taskId, status, error: null, metadata },
    },
    candidate: candidateOf(options),
  };
}

function candidateOf({
  outputText = null,
  response = null,
  metadata = {},
  ...given
}: TrialOptions): Candidate {
  const finalState = given.finalState;
  const descriptors =
    given.evidence ??
    (finalState === undefined
      ? {}
      : { final_state: { kind: "filesystem", ref: finalState, format: "dir" } });
  const evidence = createEvidence({
    set: evidenceSetSchema.parse(normalizeEvidenceSet(descriptors)),
    baseDir: resolve(finalState ?? "."),
    isForeign: false,
    files: platform.files,
    process: platform.process("metric-test"),
  });
  return { outputText, response, metadata, evidence };
}

const noSandboxes: MetricContext["sandboxes"] = {
  docker: () => Promise.reject(new Error("this test has no sandboxes")),
};

/** The context of a metric: the real files and clock, a silent log. */
export function metricContextOf(
  options: Partial<Pick<MetricContext, "baseDir" | "signal" | "redact" | "sandboxes">> = {},
): MetricContext {
  const silent = () => {};
  return {
    signal: options.signal ?? new AbortController().signal,
    log: { debug: silent, info: silent, warn: silent, error: silent },
    clock: platform.clock,
    baseDir: options.baseDir ?? ".",
    files: platform.files,
    sandboxes: options.sandboxes ?? noSandboxes,
    redact: options.redact ?? ((text) => text),
  };
}
