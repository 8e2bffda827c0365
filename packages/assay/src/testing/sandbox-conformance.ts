import type { ConformanceCheck } from "./conformance/check.ts";
import { commandChecks } from "./sandbox/command-checks.ts";
import { fileChecks } from "./sandbox/file-checks.ts";
import type { SandboxSubject } from "./sandbox/subject.ts";

/**
 * The rules that every provider of sandboxes keeps, as checks for any test framework. They use one provider, may run at
 * the same time, and leave no sandbox behind; whoever made the provider closes it.
 */
export function sandboxConformance(subject: SandboxSubject): readonly ConformanceCheck[] {
  return [...commandChecks(subject), ...fileChecks(subject)];
}
