import { bundleFiles } from "../../bundle/layout.ts";
import type { BundleReader } from "../../bundle/read-bundle.ts";
import type { Problems } from "../../bundle/verify/problems.ts";
import { toWire } from "../../schema/codec.ts";
import { type Summary, summarySchema } from "../../schema/summary.ts";
import { comparableText } from "./comparable-text.ts";

type TaskValues = Summary["taskMetricValues"][string];

/** Whether the summary is what the rows give; values by task are looked at one task at a time. */
export async function checkSummary(
  reader: BundleReader,
  expected: Summary,
  problems: Problems,
): Promise<void> {
  const bad = (message: string) => problems.add(bundleFiles.summary, "disagrees", message);
  const values = expected.taskMetricValues;
  let taskCount = 0;
  const stored = await reader.summaryByTask((taskId, found) => {
    taskCount += 1;
    const isRight = Object.hasOwn(values, taskId) && haveSameValues(values[taskId] ?? {}, found);
    if (!isRight) bad(`its values of task ${JSON.stringify(taskId)} are not those of the scores`);
  });
  if (taskCount !== Object.keys(values).length)
    bad(`it has values of ${taskCount} tasks, and the rows of ${Object.keys(values).length}`);
  checkAggregates(stored.scores.scores, expected.scores.scores, bad);
  const rest = (summary: Summary) =>
    wireOf({ ...summary, scores: { scores: [] }, taskMetricValues: {} });
  const [found, wanted] = [rest(stored), rest(expected)];
  for (const key of Object.keys(wanted)) {
    const [is, was] = [found[key], wanted[key]];
    if (!isSame(is, was)) bad(`${key} is not what the rows give${figuresOf(is, was)}`);
  }
}

function haveSameValues(expected: TaskValues, found: TaskValues): boolean {
  const names = Object.keys(expected);
  if (names.length !== Object.keys(found).length) return false;
  return names.every((name) => {
    const [wanted, given] = [expected[name] ?? [], found[name]];
    if (given?.length !== wanted.length) return false;
    return wanted.every(({ trialId, valueType, value }, index) => {
      const other = given[index];
      return (
        other?.trialId === trialId &&
        other.valueType === valueType &&
        (Object.is(other.value, value) || (other.value === 0 && value === 0))
      );
    });
  });
}

/** Runners give figures of their own, which no row holds. */
const ofRunner = /^runner\./;

function checkAggregates(
  stored: Summary["scores"]["scores"],
  expected: Summary["scores"]["scores"],
  bad: (message: string) => void,
): void {
  const own = stored.filter(({ name }) => !ofRunner.test(name));
  const byName = new Map(expected.map((aggregate) => [aggregate.name, aggregate]));
  for (const aggregate of own) {
    const { name } = aggregate;
    const wanted = byName.get(name);
    byName.delete(name);
    if (wanted === undefined)
      bad(`the aggregate ${JSON.stringify(name)} is of nothing in the rows`);
    else if (!isSame(asStored(aggregate), asStored(wanted)))
      bad(
        `the aggregate ${JSON.stringify(name)} is not what the rows give${figuresOf(aggregate.mean, wanted.mean, "mean ")}`,
      );
  }
  for (const name of byName.keys()) bad(`the aggregate ${JSON.stringify(name)} is missing`);
}

function asStored(aggregate: Summary["scores"]["scores"][number]): unknown {
  return wireOf({ scores: { scores: [aggregate] } })["scores"];
}

function wireOf(part: Partial<Summary>): Record<string, unknown> {
  return toWire(summarySchema, part) as Record<string, unknown>;
}

function isSame(a: unknown, b: unknown): boolean {
  return comparableText(a) === comparableText(b);
}

function figuresOf(found: unknown, expected: unknown, what = ""): string {
  if (found === expected || typeof found === "object" || typeof expected === "object") return "";
  return `: ${what}${String(found)} instead of ${String(expected)}`;
}
