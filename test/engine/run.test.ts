import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AgentEvaluator, type RunEvent, readBundle } from "assay";
import { callable } from "assay/runners";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../packages/assay/src/support/json.ts";
import {
  bench,
  completed,
  constant,
  eager,
  metric,
  rowsOf,
  runTarget,
  saysYes,
  storedDocument,
  storedRows,
  task,
  tasks,
} from "./run-kit.ts";

const agent = callable({
  name: "agent",
  agent: ({ id }) => (id === "t1" ? "no" : "yes"),
});

function sha256(dir: string, name: string): string {
  return createHash("sha256")
    .update(readFileSync(join(dir, name)))
    .digest("hex");
}

describe("a run", () => {
  it("leaves every file of a bundle, and nothing else", async () => {
    const { workDir, leftovers } = await runTarget(agent);

    expect(readdirSync(workDir).sort()).toEqual([
      "attempts.jsonl",
      "evidence.jsonl",
      "metadata.json",
      "plan.json",
      "provenance.json",
      "run.json",
      "scores.jsonl",
      "summary.json",
      "tasks.jsonl",
      "trials.jsonl",
    ]);
    expect(leftovers()).toEqual([]);
  });

  it("has a row for each trial, attempt and score that was planned, under the ids that were promised", async () => {
    const { workDir, result } = await runTarget(agent, {
      tasks: tasks(2),
      metrics: [constant(), saysYes()],
      config: { trialsPerTask: 3, runId: "run-1" },
    });

    const ids = ["t0:trial", "t0:trial:1", "t0:trial:2", "t1:trial", "t1:trial:1", "t1:trial:2"];
    expect(
      storedRows(workDir, "trials.jsonl")
        .map(({ id }) => id)
        .sort(),
    ).toEqual(ids);
    expect(
      storedRows(workDir, "scores.jsonl")
        .map(({ id }) => id)
        .sort(),
    ).toEqual(
      ids
        .flatMap((id) => [
          `run-1:${id.slice(0, 2)}:${id}:constant`,
          `run-1:${id.slice(0, 2)}:${id}:says-yes`,
        ])
        .sort(),
    );
    expect(
      storedRows(workDir, "attempts.jsonl")
        .map(({ trial_id, trial_index, attempt_index, cause, fault }) => ({
          trial_id,
          trial_index,
          attempt_index,
          cause,
          fault,
        }))
        .sort((a, b) => String(a.trial_id).localeCompare(String(b.trial_id))),
    ).toEqual(
      ids.map((id, index) => ({
        trial_id: id,
        trial_index: index % 3,
        attempt_index: 0,
        cause: "ended",
        fault: "none",
      })),
    );
    expect(result).toMatchObject({ runId: "run-1", status: "completed", statusCause: null });
    expect(result.exitCode).toBe(0);
  });

  it("says in each document what was run and how it ended", async () => {
    const { workDir, result } = await runTarget(agent, {
      tasks: tasks(2),
      metrics: [saysYes()],
      config: { trialsPerTask: 2, labels: { nightly: "1" }, name: "checkout" },
    });

    expect(storedDocument(workDir, "run.json")).toMatchObject({
      run_id: result.runId,
      status: "completed",
    });
    expect(storedDocument(workDir, "plan.json")).toMatchObject({
      run_id: result.runId,
      suite_name: "checkout",
      trials_per_task: 2,
      labels: { nightly: "1" },
      tasks: [{ id: "t0" }, { id: "t1" }],
    });
    expect(storedDocument(workDir, "metadata.json")).toMatchObject({
      labels: { nightly: "1" },
      target: { name: "callable", kind: "runner", config: { agent_fn: "checkout#agent" } },
      sdk_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    expect(result.summary.trialCount).toBe(4);
    expect(storedRows(workDir, "tasks.jsonl")).toMatchObject([
      { id: "t0", inputs: { instruction: "do t0" } },
      { id: "t1", inputs: { instruction: "do t1" } },
    ]);
    expect(result.bundleDigest).toBe(`sha256:${sha256(workDir, "provenance.json")}`);
  });

  it("names in its statement each data file with its digest", async () => {
    const { workDir } = await runTarget(agent);

    const { subject } = storedDocument(workDir, "provenance.json") as unknown as {
      subject: { name: string; digest: { sha256: string } }[];
    };
    expect(subject.map(({ name }) => name)).toContain("trials.jsonl");
    for (const { name, digest } of subject) expect(digest.sha256).toBe(sha256(workDir, name));
  });

  it("gives what a reader of the bundle gets as well", async () => {
    const { workDir, result } = await runTarget(agent, { tasks: tasks(3) });

    const read = await readBundle(workDir);
    expect(read.summary).toEqual(result.summary);
    expect(read.metadata).toEqual(result.metadata);
    expect(read.bundleDigest).toBe(result.bundleDigest);
    expect(await rowsOf(read)).toEqual(await rowsOf(result));
  });

  it("gives the runner the run's own id and a private scratch that is gone after it", async () => {
    const seen: { runId: string; scratch: string }[] = [];
    const { result, leftovers } = await runTarget(
      eager({
        runTasks: async function* (_plan, { runId, scratch }) {
          seen.push({ runId, scratch });
          yield completed("t0");
        },
      }),
      { config: { runId: "mine" } },
    );

    expect(seen).toMatchObject([{ runId: "mine" }]);
    expect(result.runId).toBe("mine");
    expect(leftovers()).toEqual([]);
  });

  it("takes the version that the probe found into the identity, and leaves one that was known", async () => {
    const probe = async () => ({ version: "9.9.9", resolved: {} });
    const found = await runTarget(eager({ probe }));
    const known = await runTarget(
      eager({
        probe,
        runnerInfo: () => ({ name: "stand_in", kind: "runner", version: "1.0.0", config: {} }),
      }),
    );

    expect(found.result.metadata.target?.version).toBe("9.9.9");
    expect(known.result.metadata.target?.version).toBe("1.0.0");
  });

  it("gets a new id each time, with the UTC second in it", async () => {
    const first = await runTarget(agent);
    const second = await runTarget(agent);

    expect(first.result.runId).toMatch(/^agent-eval-\d{14}-[0-9a-f]{8}$/);
    expect(first.result.runId).not.toBe(second.result.runId);
  });
});

describe("the digests of a run", () => {
  const digestsOf = async (run: Parameters<typeof runTarget>[1], target = agent) => {
    const { workDir } = await runTarget(target, run);
    const { predicate } = storedDocument(workDir, "provenance.json") as unknown as {
      predicate: { digests: JsonObject };
    };
    return predicate.digests;
  };

  it("are equal for equal inputs, wherever and whenever it ran", async () => {
    expect(await digestsOf({})).toEqual(await digestsOf({}));
  });

  it("tell what was changed: settings, tasks, trials, metrics", async () => {
    const base = await digestsOf({});
    const timed = callable({ name: "agent", agent: () => "yes", timeoutS: 9 });

    expect((await digestsOf({}, timed))["settings"]).not.toBe(base["settings"]);
    for (const changed of [
      { tasks: [task("t0", { intent: "something else" })] },
      { config: { trialsPerTask: 2 } },
      { metrics: [saysYes()] },
    ]) {
      const digests = await digestsOf(changed);
      expect(digests["settings"]).toBe(base["settings"]);
      expect(digests["plan"]).not.toBe(base["plan"]);
    }
  });

  it("do not depend on whether two equal metrics are one object", async () => {
    const shared = constant();
    const one = await digestsOf({
      tasks: [task("a", { metrics: [shared] }), task("b", { metrics: [shared] })],
    });
    const two = await digestsOf({
      tasks: [task("a", { metrics: [constant()] }), task("b", { metrics: [constant()] })],
    });

    expect(two["plan"]).toBe(one["plan"]);
  });

  it("do not hold what is removed as secret", async () => {
    const withKey = (key: string) => ({
      env: { SERVICE_TOKEN: key },
      config: { secrets: ["SERVICE_TOKEN"] },
      metrics: [metric("keyed", () => ({ outputs: { score: 1 } }), { config: { header: key } })],
      tasks: [task("t0", { inputs: { instruction: `use ${key}` } })],
    });

    expect(await digestsOf(withKey("first-secret-value"))).toEqual(
      await digestsOf(withKey("another-secret-value")),
    );
  });
});

describe("what is told while a run goes on", () => {
  it("begins with the plan, tells each trial and score once, and ends with the status", async () => {
    const { events } = await runTarget(agent, {
      tasks: tasks(2),
      metrics: [constant(), saysYes()],
      config: { trialsPerTask: 2 },
    });

    expect(events[0]).toMatchObject({
      type: "run-start",
      taskCount: 2,
      trialCount: 4,
      scoreCount: 8,
    });
    expect(events.at(-1)).toEqual({ type: "run-end", status: "completed" });
    expect(count(events, "trial-end")).toBe(4);
    expect(count(events, "score-end")).toBe(8);
    expect(count(events, "warning")).toBe(0);
  });

  it("tells of a trial only when its row is on disk", async () => {
    const here = bench();
    const missing: string[] = [];
    await here.evaluator.run({
      tasks: tasks(20),
      metrics: [constant()],
      target: agent,
      config: {
        workDir: here.workDir,
        onEvent: (event) => {
          if (event.type !== "trial-end") return;
          const stored = storedRows(here.workDir, "trials.jsonl").map(({ id }) => id);
          if (!stored.includes(event.trialId)) missing.push(event.trialId);
        },
      },
    });

    expect(missing).toEqual([]);
  });

  it("survives a listener that throws", async () => {
    const { result, rows } = await runTarget(agent, {
      config: {
        onEvent: () => {
          throw new Error("listener");
        },
      },
    });

    expect(result.status).toBe("completed");
    expect(rows.scores).toHaveLength(1);
  });
});

describe("an evaluator", () => {
  it("runs several suites at once without mixing them", async () => {
    const here = bench();
    const results = await Promise.all(
      ["a", "b", "c"].map((name) =>
        here.evaluator.run({
          tasks: [task(name)],
          metrics: [constant()],
          target: agent,
          config: { workDir: join(here.root, name) },
        }),
      ),
    );

    const ids = results.map(({ tasks: [only] }) => only?.id);
    expect(ids).toEqual(["a", "b", "c"]);
    expect(here.leftovers()).toEqual([]);
  });

  it("needs no options at all", () => {
    expect(new AgentEvaluator()).toBeInstanceOf(AgentEvaluator);
  });
});

function count(events: readonly RunEvent[], type: RunEvent["type"]): number {
  return events.filter((event) => event.type === type).length;
}
