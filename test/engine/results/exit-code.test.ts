import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentTaskRunner, readBundle } from "assay";
import { describe, expect, it } from "vitest";

import { exitCodeOfStored } from "../../../packages/assay/src/engine/results/exit-code.ts";
import { foreignBundle } from "../../bundle/foreign-bundle.ts";
import { resealManifest } from "../../support/reseal.ts";
import {
  completed,
  constant,
  eager,
  metric,
  type QuickRun,
  refusal,
  runner,
  runTarget,
  storedDocument,
  tasks,
} from "../run-kit.ts";

const error = { type: "Lost", message: "it is gone", traceback: null, occurredAt: null };

function giving(...trials: Parameters<typeof completed>[2][]): AgentTaskRunner {
  return runner(async function* () {
    for (const [index, more] of trials.entries()) yield completed(`t${index}`, 0, more);
  });
}

const throwing = metric("throwing", () => {
  throw new Error("no measure");
});
const unscored = metric("unscored", () => ({ outputs: { score: Number.NaN } }));

describe("the exit code of a bundle that is read", () => {
  const runs: { what: string; target: AgentTaskRunner; run?: QuickRun; exitCode: number }[] = [
    { what: "every trial is scored", target: eager(), exitCode: 0 },
    {
      what: "an agent did not end well",
      target: giving({ status: "partial", error }),
      exitCode: 0,
    },
    {
      what: "a metric says itself that it gives no score",
      target: eager(),
      run: { metrics: [unscored] },
      exitCode: 0,
    },
    {
      what: "a trial could not be produced",
      target: giving({ status: "failed", error, output: null }),
      exitCode: 4,
    },
    {
      what: "a metric failed",
      target: eager(),
      run: { metrics: [constant(), throwing] },
      exitCode: 4,
    },
    { what: "a trial never came", target: giving({}), run: { tasks: tasks(2) }, exitCode: 4 },
    {
      what: "it was stopped by fail_fast",
      target: eager(),
      run: { metrics: [throwing], config: { failFast: true } },
      exitCode: 4,
    },
    ...(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "the caller said so"] as const).map(
      (reason) => ({
        what: `it was interrupted: ${reason}`,
        target: eager(),
        run: { config: { signal: AbortSignal.abort(reason) } },
        exitCode: /TERM|HUP|QUIT/.test(reason) ? 143 : 130,
      }),
    ),
  ];

  it.each(runs)("is that of its run, $exitCode, when $what", async ({ target, run, exitCode }) => {
    const { result, workDir } = await runTarget(target, run);

    expect(result.exitCode).toBe(exitCode);
    expect((await readBundle(workDir)).exitCode).toBe(exitCode);
  });

  const failed = { m: { score: { total: 2, scored: 1, failed: 1, missing: 0 } } };
  const missing = { m: { score: { total: 2, scored: 1, failed: 0, missing: 1 } } };

  it.each([
    [undefined, undefined, {}, 0],
    [undefined, undefined, failed, 4],
    ["completed", null, missing, 0],
    ["completed", null, failed, 4],
    ["incomplete", "max_cost: 5 USD", missing, 4],
    ["interrupted", null, {}, 130],
    ["interrupted", "SIGINT", failed, 130],
    ["interrupted", "SIGTERM", {}, 143],
    ["running", null, {}, 4],
  ] as const)(
    "of status %s, cause %s, coverage %j is %i %i",
    (status, statusCause, coverage, exitCode) => {
      const manifest = { status, ...(statusCause === undefined ? {} : { statusCause }) };

      expect(exitCodeOfStored(manifest, { metricCoverage: coverage })).toBe(exitCode);
    },
  );
});

describe("the exit code for a bundle that cannot be read", () => {
  const write = (name: string, text: string) => (dir: string) =>
    writeFileSync(join(dir, name), text);
  const changed = (change: object) => (dir: string) => {
    const manifest = { ...storedDocument(dir, "run.json"), ...change };
    writeFileSync(join(dir, "run.json"), JSON.stringify(manifest));
    resealManifest(dir);
  };

  it.each([
    {
      what: "is none",
      dir: () => "nowhere",
      change: () => {},
      code: "ASSAY_BUNDLE_NOT_FOUND",
      exitCode: 2,
    },
    {
      what: "has not ended",
      change: changed({ status: "running" }),
      code: "ASSAY_BUNDLE_UNFINISHED",
      exitCode: 4,
    },
    {
      what: "was altered",
      change: write("metadata.json", "{}"),
      code: "ASSAY_BUNDLE_DAMAGED",
      exitCode: 5,
    },
    {
      what: "is no JSON",
      change: write("run.json", "{"),
      code: "ASSAY_BUNDLE_DAMAGED",
      exitCode: 5,
    },
    {
      what: "is of a later format",
      change: changed({ schema_version: 99 }),
      code: "ASSAY_BUNDLE_VERSION",
      exitCode: 5,
    },
    {
      what: "is another writer's, and broken",
      dir: () => foreignBundle({ "summary.json": "[]" }),
      change: () => {},
      code: "ASSAY_BUNDLE_DAMAGED",
      exitCode: 5,
    },
  ])("is $exitCode when it $what", async ({ dir: given, change, code, exitCode }) => {
    const dir = given?.() ?? (await runTarget(eager())).workDir;
    change(dir);

    expect(await refusal(() => readBundle(dir))).toMatchObject({ code, exitCode });
  });
});
