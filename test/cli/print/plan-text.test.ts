import { expect, it } from "vitest";

import { planLines } from "../../../packages/assay/src/cli/print/plan-text.ts";
import type { PlanPreview } from "../../../packages/assay/src/entries/index.ts";

const plan: PlanPreview = {
  suiteName: "shop",
  target: { name: "callable", kind: "runner", version: null, config: { agent_fn: "s#a", n: 1 } },
  origins: { agent_fn: "suite", n: "default" },
  taskIds: ["t-1", "t-2\u001b"],
  trialsPerTask: 3,
  trialCount: 6,
  metrics: [
    { type: "exact-match", digest: "x", taskCount: 2 },
    { type: "f1", digest: "y", taskCount: 1 },
  ],
  planDigest: `assay-plan-v1:sha256:${"a".repeat(64)}`,
  settingsDigest: `assay-settings-v1:sha256:${"b".repeat(64)}`,
};

it("a plan says what would be run, with what and whence", () => {
  expect(planLines(plan)).toEqual([
    "suite     shop",
    "target    callable",
    'options   agent_fn = "s#a" (suite)',
    "defaults  n = 1",
    "tasks     2",
    "          t-1",
    "          t-2\\x1b",
    "trials    6 (3 per task)",
    "metrics   exact-match on 2 tasks",
    "          f1 on 1 task",
    "digests   each begins with assay-<name>-v1:sha256:",
    `settings  ${"b".repeat(64)}`,
    `plan      ${"a".repeat(64)}`,
    "Nothing was run.",
  ]);
});

it("a plan of many tasks names the first ten and counts the others", () => {
  const taskIds = Array.from({ length: 12 }, (_, index) => `t-${index}`);
  const lines = planLines({ ...plan, taskIds });

  expect(lines).toContain("          t-9");
  expect(lines).toContain("          and 2 more");
  expect(lines).not.toContain("          t-10");
});
