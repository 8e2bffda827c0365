import { behaviourChecks } from "./conformance/behaviour-checks.ts";
import type { ConformanceCheck } from "./conformance/check.ts";
import { identityChecks } from "./conformance/identity-checks.ts";
import { optionChecks } from "./conformance/option-checks.ts";
import { secrecyChecks } from "./conformance/secrecy-checks.ts";
import type { RunnerSubject } from "./conformance/subject.ts";

/**
 * The checks that every runner must pass, for any test runner. Each has a name, the reason why it does not apply to this
 * runner (or null), and `run`, which resolves or rejects with what is wrong. They start processes and write files below
 * a scratch directory of their own, and may run at the same time.
 */
export function runnerConformance<Options extends object>(
  subject: RunnerSubject<Options>,
): readonly ConformanceCheck[] {
  return [
    ...identityChecks(subject),
    ...optionChecks(subject),
    ...behaviourChecks(subject.scenarios, subject.idsOfBackend),
    ...secrecyChecks(subject.scenarios),
  ];
}
