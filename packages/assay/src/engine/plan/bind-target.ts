import type {
  AgentTaskRunner,
  EffectiveOptions,
  OptionOverride,
  TargetFacts,
} from "../../contracts/runner.ts";
import { AssayError, describeThrown } from "../../errors/assay-error.ts";
import { parseValue } from "../../schema/codec.ts";
import { type RunnerInfo, runnerInfoSchema } from "../../schema/run-metadata.ts";
import { isPending } from "../../support/is-pending.ts";
import { checkTarget } from "../suite/resolve-target.ts";
import type { Suite } from "../suite/suite.ts";
import { ImportedRunner } from "./imported-runner.ts";
import { targetFactsOf } from "./target-facts.ts";

/** A target with its identity, asked for before anything runs. */
export interface BoundTarget {
  readonly runner: AgentTaskRunner;
  readonly info: RunnerInfo;
  readonly options: EffectiveOptions;
  readonly facts: TargetFacts;
}

/** Checks that the target keeps the contract, applies option overrides, and takes its identity. */
export function bindTarget(suite: Suite, overrides: readonly OptionOverride[]): BoundTarget {
  const runner = configure(theOneTarget(suite), suite, overrides);
  const info = identityOf(runner);
  return {
    runner,
    info,
    options: asked("effectiveOptions", () => runner.effectiveOptions?.()) ?? everythingShapes(info),
    facts: asked("targetFacts", () => targetFactsOf(runner)),
  };
}

function theOneTarget({ target, importedTrials, importedFrom }: Suite): AgentTaskRunner {
  if ((target === null) === (importedTrials === null)) {
    const there = target === null ? "there is neither" : "both are given";
    throw new AssayError(
      "ASSAY_SUITE_INVALID",
      `give exactly one of a target and imported trials; ${there}`,
      { remedy: target === null ? "Give the suite a target." : "Take one of the two out." },
    );
  }
  return importedTrials === null
    ? checkTarget(target)
    : new ImportedRunner(importedTrials, importedFrom);
}

function configure(
  runner: AgentTaskRunner,
  { baseName, baseDir }: Suite,
  overrides: readonly OptionOverride[],
): AgentTaskRunner {
  const binding = { suiteName: baseName, baseDir, overrides };
  if (runner.configure !== undefined)
    return checkTarget(asked("configure", () => runner.configure?.(binding)));
  const [first] = overrides;
  if (first !== undefined) {
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      `target.${first.path.join(".")} cannot be set: this target takes no options from outside`,
      { remedy: "Set it in the suite." },
    );
  }
  return runner;
}

function identityOf(runner: AgentTaskRunner): RunnerInfo {
  const given: unknown = asked("runnerInfo", () => runner.runnerInfo());
  if (isPending(given)) {
    // What becomes of it is of no interest: it is refused.
    void Promise.resolve(given).catch(() => {});
    throw new AssayError(
      "ASSAY_TARGET_INVALID",
      "runnerInfo() of the target gave a promise; it must be synchronous",
      { data: { member: "runnerInfo" } },
    );
  }
  return parseValue(runnerInfoSchema, given, {
    source: "runnerInfo() of the target",
    code: "ASSAY_TARGET_INVALID",
  });
}

/** A throw of the target's own becomes an error that names the member; an error of ours says enough by itself. */
function asked<T>(member: string, ask: () => T): T {
  try {
    return ask();
  } catch (cause) {
    if (AssayError.isInstance(cause)) throw cause;
    throw new AssayError(
      "ASSAY_TARGET_INVALID",
      `${member}() of the target threw ${describeThrown(cause)}`,
      { cause, data: { member } },
    );
  }
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
