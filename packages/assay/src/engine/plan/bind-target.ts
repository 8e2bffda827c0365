import type { AgentTaskRunner, EffectiveOptions, OptionOverride } from "../../contracts/runner.ts";
import { runnerContractVersion } from "../../contracts/runner.ts";
import { AssayError, describeThrown } from "../../errors/assay-error.ts";
import { parseValue } from "../../schema/codec.ts";
import { type RunnerInfo, runnerInfoSchema } from "../../schema/run-metadata.ts";
import { describeKind } from "../../support/json.ts";
import type { Suite } from "../suite/suite.ts";
import { importedRunner } from "./imported-runner.ts";

/** A target with its identity, asked for before anything runs. */
export interface BoundTarget {
  readonly runner: AgentTaskRunner;
  readonly info: RunnerInfo;
  readonly options: EffectiveOptions;
}

/** Checks that the target keeps the contract, applies option overrides, and takes its identity. */
export function bindTarget(suite: Suite, overrides: readonly OptionOverride[]): BoundTarget {
  const { target, importedTrials } = suite;
  if (target !== null && importedTrials !== null) {
    throw new AssayError(
      "ASSAY_SUITE_INVALID",
      "give exactly one of a target and imported trials, not both",
    );
  }
  if (target === null && importedTrials === null) {
    throw new AssayError(
      "ASSAY_SUITE_INVALID",
      "give exactly one of a target and imported trials; there is neither",
    );
  }
  const given = importedTrials === null ? target : importedRunner(importedTrials);
  assertRunner(given);
  const runner = configure(given, suite, overrides);
  const info = identityOf(runner);
  return { runner, info, options: runner.effectiveOptions?.() ?? everythingShapes(info) };
}

/** Throws `ASSAY_TARGET_INVALID` naming the first member that is missing or wrong. */
export function assertRunner(value: unknown): asserts value is AgentTaskRunner {
  if (typeof value !== "object" || value === null) {
    throw new AssayError(
      "ASSAY_TARGET_INVALID",
      `the target is ${describeKind(value)}, not a runner`,
    );
  }
  const members = value as Record<string, unknown>;
  const who = describeKind(value);
  for (const member of ["runnerInfo", "runTasks"]) {
    if (typeof members[member] !== "function") {
      throw new AssayError(
        "ASSAY_TARGET_INVALID",
        `the target (${who}) is no runner: it has no method "${member}"`,
        {
          data: { member },
        },
      );
    }
  }
  if (members["contractVersion"] !== runnerContractVersion) {
    const given = String(members["contractVersion"]);
    throw new AssayError(
      "ASSAY_TARGET_INVALID",
      `the target (${who}) is no runner: its member "contractVersion" is ${given}, expected ${runnerContractVersion}`,
      { data: { member: "contractVersion" } },
    );
  }
}

function configure(
  runner: AgentTaskRunner,
  suite: Suite,
  overrides: readonly OptionOverride[],
): AgentTaskRunner {
  if (runner.configure !== undefined) {
    return runner.configure({ suiteName: suite.baseName, baseDir: suite.baseDir, overrides });
  }
  const [first] = overrides;
  if (first !== undefined) {
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      `target.${first.path.join(".")} cannot be set: this target takes no options from outside`,
    );
  }
  return runner;
}

function identityOf(runner: AgentTaskRunner): RunnerInfo {
  let given: unknown;
  try {
    given = runner.runnerInfo();
  } catch (cause) {
    throw new AssayError(
      "ASSAY_TARGET_INVALID",
      `runnerInfo() of the target threw: ${describeThrown(cause)}`,
      { cause },
    );
  }
  return parseValue(runnerInfoSchema, given, { source: "runnerInfo() of the target" });
}

function everythingShapes(info: RunnerInfo): EffectiveOptions {
  const keys = Object.keys(info.config);
  return {
    config: info.config,
    shaping: info.config,
    origins: Object.fromEntries(keys.map((key) => [key, "runner" as const])),
    roles: Object.fromEntries(keys.map((key) => [key, "shapes" as const])),
  };
}
