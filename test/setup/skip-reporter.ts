import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  unexplained: number;
}

/**
 * Says of each skipped test why it was skipped, and counts them by reason. Writes the counts to
 * the file that `ASSAY_TEST_COUNTS` names, so that a gate can read them.
 */
export default class SkipReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const counts: Counts = { passed: 0, failed: 0, skipped: 0, unexplained: 0 };
    const byReason = new Map<string, string[]>();
    for (const module of modules) {
      const failedBefore = counts.failed;
      for (const test of module.children.allTests()) count(test, counts, byReason);
      // A file that cannot be loaded, or a hook that throws, fails no test of its own.
      if (!module.ok() && counts.failed === failedBefore) counts.failed += 1;
    }
    counts.failed += errors.length;

    const lines = [...byReason].flatMap(([reason, names]) => [
      `  ${names.length} skipped: ${reason}`,
      ...names.map((name) => `    ${name}`),
    ]);
    lines.push(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    process.stdout.write(`${lines.join("\n")}\n`);
    const file = process.env["ASSAY_TEST_COUNTS"];
    if (file !== undefined && file !== "") writeFileSync(file, `${JSON.stringify(counts)}\n`);
  }
}

function count(test: TestCase, counts: Counts, byReason: Map<string, string[]>): void {
  const result = test.result();
  if (result.state === "passed") counts.passed += 1;
  else if (result.state === "failed") counts.failed += 1;
  else {
    counts.skipped += 1;
    const note = result.state === "skipped" ? result.note : undefined;
    if (note === undefined) counts.unexplained += 1;
    const reason = note ?? "no reason given";
    const name = `${relative(process.cwd(), test.module.moduleId)} > ${test.fullName}`;
    byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  }
}
