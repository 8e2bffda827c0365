import { AssayError } from "../../errors/assay-error.ts";
import type { RunnerScenario, Scenario } from "./subject.ts";

/** One check of a conformance kit, for any test runner: `run` resolves, or rejects with what is wrong. */
export interface ConformanceCheck {
  readonly name: string;
  /** Why this check does not apply, or null. Then `run` does nothing. */
  readonly skip: string | null;
  readonly run: () => Promise<void>;
}

export function check(name: string, run: () => Promise<void> | void): ConformanceCheck {
  return { name, skip: null, run: async () => await run() };
}

/** A check in a situation that the subject may be unable to be in, for a reason it gives. */
export function checkIn<S extends RunnerScenario>(
  scenario: Scenario<S>,
  name: string,
  run: (scenario: S) => Promise<void>,
): ConformanceCheck {
  if (typeof scenario === "function") {
    return check(name, async () => await run(await scenario()));
  }
  if (scenario.skip.trim() === "") {
    throw new AssayError("ASSAY_CONFIG_INVALID", `"${name}" cannot be skipped without a reason`);
  }
  return { name, skip: scenario.skip, run: async () => {} };
}
