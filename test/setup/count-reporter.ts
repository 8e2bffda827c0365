import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  unexplained: number;
  /** Passed, but not at the first try. */
  repeated: number;
  /** Names of tests and files that failed, each with the first line of what it said. */
  failures: string[];
}

/**
 * Says of each skipped test why it was skipped, and of each that was tried again what failed at first; counts them by
 * reason. Writes the counts to
 * the file that `ASSAY_TEST_COUNTS` names, so that a gate can read them.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const counts: Counts = {
      ...{ passed: 0, failed: 0, skipped: 0, unexplained: 0, repeated: 0 },
      failures: [],
    };
    const byReason = new Map<string, string[]>();
    const note = (reason: string, test: TestCase) =>
      byReason.set(reason, [...(byReason.get(reason) ?? []), nameOf(test)]);
    for (const module of modules) {
      const failedBefore = counts.failed;
      for (const test of module.children.allTests()) count(test, counts, note);
      // A file that cannot be loaded, or a hook that throws, fails no test of its own.
      if (module.ok() || counts.failed > failedBefore) continue;
      counts.failed += 1;
      counts.failures.push(`${fileOf(module)}: ${firstLine(module.errors()[0])}`);
    }
    counts.failed += errors.length;
    for (const error of errors) counts.failures.push(`beside the tests: ${firstLine(error)}`);

    const lines = [...byReason].flatMap(([reason, names]) => [
      `  ${names.length} ${reason}`,
      ...names.map((name) => `    ${name}`),
    ]);
    lines.push(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    process.stdout.write(`${lines.join("\n")}\n`);
    const file = process.env["ASSAY_TEST_COUNTS"];
    if (file !== undefined && file !== "") writeFileSync(file, `${JSON.stringify(counts)}\n`);
  }
}

function count(
  test: TestCase,
  counts: Counts,
  note: (reason: string, test: TestCase) => unknown,
): void {
  const result = test.result();
  if (result.state === "passed") counts.passed += 1;
  else if (result.state === "failed") {
    counts.failed += 1;
    counts.failures.push(`${nameOf(test)}: ${firstLine(result.errors[0])}`);
  } else {
    counts.skipped += 1;
    const reason = result.state === "skipped" ? result.note : undefined;
    if (reason === undefined) counts.unexplained += 1;
    note(`skipped: ${reason ?? "no reason given"}`, test);
  }
  if (test.diagnostic()?.flaky !== true) return;
  counts.repeated += 1;
  note(
    `passed at the second try only; at first: ${result.errors?.[0]?.message ?? "no error"}`,
    test,
  );
}

function nameOf(test: TestCase): string {
  return `${fileOf(test.module)} > ${test.fullName}`;
}

function fileOf({ moduleId }: TestModule): string {
  return relative(process.cwd(), moduleId);
}

function firstLine(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown };
  const [line = ""] = (typeof message === "string" ? message : "no error").split("\n");
  return line.slice(0, 300);
}
