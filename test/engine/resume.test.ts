import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { AgentEvaluator, type RunEvent } from "assay";
import { verifyBundle } from "assay/bundle";
import { callable } from "assay/runners";
import { describe, expect, it } from "vitest";

import { asKilled, cutRows, resumable } from "./resume-kit.ts";
import { constant, metric, refusal, tasks } from "./run-kit.ts";

const journal = ["trials.jsonl", "scores.jsonl", "attempts.jsonl"];

describe("a run that was killed", () => {
  it("goes on with the trials that are missing, and ends with the summary of an undisturbed run", async () => {
    const undisturbed = resumable();
    await undisturbed.start();
    const run = resumable();
    await run.start();
    asKilled(run.workDir);
    for (const name of journal) cutRows(run.workDir, name, 2);
    run.calls.length = 0;

    const result = await run.resume();

    expect(run.calls).toEqual(["t2#0", "t2#1"]);
    expect(result).toMatchObject({ status: "completed", exitCode: 0 });
    expect(run.rows("trials.jsonl")).toHaveLength(6);
    expect(run.rows("scores.jsonl")).toHaveLength(6);
    expect(run.rows("attempts.jsonl")).toHaveLength(6);
    expect(run.summary()).toBe(undisturbed.summary());
    expect(existsSync(join(run.workDir, "claim.json"))).toBe(false);
  });

  it("keeps its run id and its first start, and tells each start", async () => {
    const run = resumable();
    const first = await run.start();
    asKilled(run.workDir);
    cutRows(run.workDir, "trials.jsonl", 1);
    const { invocations } = run.document("run.json") as { invocations: object[] };

    const result = await run.resume();

    expect(result.runId).toBe(first.runId);
    expect(result.metadata.startedAt).toBe(first.metadata.startedAt);
    expect(invocations).toHaveLength(1);
    const { predicate } = run.document("provenance.json") as never as {
      predicate: { invocations: object[] };
    };
    expect(predicate.invocations).toMatchObject([{}, { cause: "ended", resumed_from: null }]);
  });

  it.each([
    ["half a row", '{"id":"t2:agent:1","task_'],
    ["a whole row without its newline", '{"id":"x"}'],
    ["half a character", Buffer.from([0x7b, 0x22, 0xc3])],
    ["zeros", Buffer.alloc(4096)],
    ["a block of zeros in a line that ends", Buffer.from(`{"id":"t2${"\0".repeat(4096)}"}\n`)],
    ["zeros, and half a row behind them", Buffer.from(`${"\0".repeat(512)}\n{"id":"t2`)],
  ])("has %s at the end of its files cut off, which is told", async (_what, torn) => {
    const run = resumable();
    await run.start();
    const whole = run.summary();
    asKilled(run.workDir);
    for (const name of journal) {
      cutRows(run.workDir, name, 1);
      appendFileSync(join(run.workDir, name), torn);
    }
    run.calls.length = 0;

    await run.resume();

    expect(run.calls).toEqual(["t2#1"]);
    expect(run.summary()).toBe(whole);
    expect(run.warnings().filter((text) => text.includes("torn"))).toHaveLength(3);
  });

  it.each(
    journal.flatMap(
      (name) =>
        [
          [name, "with one flipped bit", (line: string) => line.replace('"', "#")],
          [name, "that is empty", () => ""],
          [
            name,
            "that is no UTF-8",
            (line: string) => Buffer.from(line.replace("t", "\u00ff"), "latin1"),
          ],
          [name, "of another form", () => '{"id":"x"}'],
        ] as const,
    ),
  )(
    "is damaged, and left as it is, when its last whole line in %s is one %s",
    async (name, _what, spoil) => {
      const run = resumable();
      await run.start();
      asKilled(run.workDir);
      const file = join(run.workDir, name);
      const lines = readFileSync(file, "utf8").trimEnd().split("\n");
      const last = lines.pop() ?? "";
      const spoilt = Buffer.concat([
        Buffer.from(`${lines.join("\n")}\n`),
        Buffer.from(spoil(last)),
        Buffer.from("\n"),
      ]);
      writeFileSync(file, spoilt);
      run.calls.length = 0;

      const refused = await refusal(() => run.resume());

      expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exitCode: 5 });
      expect(refused.message).toContain(`${name}:6`);
      expect(readFileSync(file)).toEqual(spoilt);
      expect(run.calls).toEqual([]);
    },
  );

  it("before its plan was written is nothing to resume, and says what to do", async () => {
    const run = resumable();
    await run.start();
    asKilled(run.workDir);
    for (const name of ["plan.json", "tasks.jsonl", "evidence.jsonl", ...journal])
      rmSync(join(run.workDir, name));

    expect(await refusal(() => run.resume())).toMatchObject({
      code: "ASSAY_CONFIG_INVALID",
      message: expect.stringContaining("nothing of it was run"),
      error: { remedy: expect.stringContaining("without --resume") },
      exitCode: 2,
    });
  });

  it("before its manifest was written is begun by leaving out resume, as its refusal says", async () => {
    const run = resumable();
    await run.start();
    asKilled(run.workDir);
    for (const name of readdirSync(run.workDir).filter((one) => one !== "claim.json"))
      rmSync(join(run.workDir, name), { recursive: true });

    expect(await refusal(() => run.resume())).toMatchObject({
      code: "ASSAY_BUNDLE_NOT_FOUND",
      message: expect.stringContaining("no run.json"),
      error: { remedy: expect.stringContaining("Leave out --resume") },
      exitCode: 2,
    });
    expect(await run.start()).toMatchObject({ status: "completed" });
    expect(existsSync(join(run.workDir, "claim.json"))).toBe(false);
  });

  it.each(["plan.json", "run.json"])("and lost its %s is damaged", async (name) => {
    const run = resumable();
    await run.start();
    asKilled(run.workDir);
    rmSync(join(run.workDir, name));

    expect(await refusal(() => run.resume())).toMatchObject({
      code: "ASSAY_BUNDLE_DAMAGED",
      message: expect.stringContaining(`${name} is missing`),
      exitCode: 5,
    });
  });

  it("keeps its id: a secret of now that is a part of it is refused, and shown nowhere", async () => {
    const run = resumable();
    const { runId } = await run.start();
    asKilled(run.workDir);
    cutRows(run.workDir, "trials.jsonl", 1);
    const secret = runId.slice(0, 15);
    const evaluator = new AgentEvaluator({
      env: { LOGIN_TOKEN: secret },
      cwd: run.root,
      scratchParent: run.scratchParent,
    });
    const target = callable({ name: "agent", agent: () => "yes" });
    const config = { workDir: run.workDir, resume: true, trialsPerTask: 2 };

    const refused = await refusal(() =>
      evaluator.run({ tasks: tasks(3), metrics: [constant()], target, config }),
    );

    expect(refused).toMatchObject({ code: "ASSAY_CONFIG_INVALID", exitCode: 2 });
    expect(refused.message).toContain("a part of its run id");
    expect(refused.message).not.toContain(secret);
    expect((await run.resume()).runId).toBe(runId);
  });

  it("is damaged, and not gone on with, when a line amidst its rows is none", async () => {
    const run = resumable();
    await run.start();
    asKilled(run.workDir);
    const file = join(run.workDir, "trials.jsonl");
    const lines = readFileSync(file, "utf8").split("\n");
    lines[1] = "{";
    writeFileSync(file, lines.join("\n"));

    const refused = await refusal(() => run.resume());

    expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exitCode: 5 });
    expect(refused.message).toContain("trials.jsonl:2");
  });

  it("computes the scores that are missing, and runs no agent for them", async () => {
    const run = resumable();
    await run.start();
    asKilled(run.workDir);
    cutRows(run.workDir, "scores.jsonl", 3);
    run.calls.length = 0;

    const result = await run.resume();

    expect(run.calls).toEqual([]);
    expect(result.status).toBe("completed");
    expect(run.rows("scores.jsonl")).toHaveLength(6);
  });

  it("leaves out scores whose trial is not there, so that none is counted twice", async () => {
    const run = resumable();
    await run.start();
    asKilled(run.workDir);
    cutRows(run.workDir, "trials.jsonl", 2);

    await run.resume();

    const keys = run.rows("scores.jsonl").map(({ trial_id: id }) => id);
    expect(new Set(keys).size).toBe(6);
    expect(keys).toHaveLength(6);
  });

  it("keeps in the ledger what a trial has cost that was lost after it, and does it again", async () => {
    const run = resumable();
    await run.start();
    asKilled(run.workDir);
    for (const name of ["trials.jsonl", "scores.jsonl"]) cutRows(run.workDir, name, 1);
    run.calls.length = 0;

    await run.resume();

    expect(run.calls).toEqual(["t2#1"]);
    const own = run.rows("attempts.jsonl").slice(-2);
    expect(own.map((row) => [row["trial_id"], row["attempt_index"]])).toEqual([
      ["t2:trial:1", 0],
      ["t2:trial:1", 1],
    ]);
    const { predicate } = run.document("provenance.json") as never as {
      predicate: { usage: object };
    };
    expect(predicate.usage).toMatchObject({ attempts: 7 });
  });

  const evidenceRow = (path: string, content: string) => ({
    path,
    task_id: "t0",
    trial_id: "t0:trial",
    size_bytes: content.length,
    sha256: createHash("sha256").update(content).digest("hex"),
    media_type: "text/plain",
    redactions: 0,
    is_executable: false,
    is_truncated: false,
    is_withheld: false,
  });

  /** A killed run one of whose trials has a file of evidence by its row. */
  async function withEvidence(
    stored: string | null,
    row = evidenceRow("evidence/000000-t0/x/f.txt", "abc"),
  ) {
    const run = resumable();
    await run.start();
    asKilled(run.workDir);
    const file = join(run.workDir, row.path);
    mkdirSync(dirname(file), { recursive: true });
    if (stored !== null) writeFileSync(file, stored);
    writeFileSync(join(run.workDir, "evidence.jsonl"), `${JSON.stringify(row)}\n`);
    run.calls.length = 0;
    return run;
  }

  it("does a trial again whose evidence is not there, and takes away what it had left", async () => {
    const run = await withEvidence(null);

    await run.resume();

    expect(run.calls).toEqual(["t0#0"]);
    expect(run.rows("evidence.jsonl")).toEqual([]);
    expect(run.rows("trials.jsonl")).toHaveLength(6);
  });

  it("is damaged when evidence of the same size is not what was stored", async () => {
    const run = await withEvidence("xyz");

    expect(await refusal(() => run.resume())).toMatchObject({
      code: "ASSAY_BUNDLE_DAMAGED",
      message: expect.stringContaining("evidence/000000-t0/x/f.txt"),
    });
  });

  it.each([
    ["gone", (dir: string) => rmSync(join(dir, "evidence"), { recursive: true })],
    [
      "a link",
      (dir: string) => {
        renameSync(join(dir, "evidence"), join(dir, "moved"));
        symlinkSync(join(dir, "moved"), join(dir, "evidence"));
      },
    ],
  ])("keeps its rows when all of its evidence is %s", async (_what, take) => {
    const run = await withEvidence("abc");
    take(run.workDir);

    expect(await refusal(() => run.resume())).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED" });
    expect(run.rows("trials.jsonl")).toHaveLength(6);
    expect(run.rows("scores.jsonl")).toHaveLength(6);
  });

  /** As `calls` has it: the call that made a row of evidence. */
  function callOf(row: Record<string, unknown> | undefined): string {
    const [task, , index = "0"] = String(row?.["trial_id"]).split(":");
    return `${task}#${index}`;
  }

  /** A killed run whose trials have two files of evidence each. */
  async function withWorkspaces() {
    const agent = (id: string, _index: number, context: object) => {
      const { workspace } = context as { readonly workspace: string };
      for (const name of ["a.txt", "b.txt"]) writeFileSync(join(workspace, name), id);
      return "yes";
    };
    const run = resumable({ agent });
    await run.start();
    asKilled(run.workDir);
    run.calls.length = 0;
    return run;
  }

  it("does a trial again whose rows of evidence were torn, and the bundle verifies", async () => {
    const run = await withWorkspaces();
    const evidence = join(run.workDir, "evidence.jsonl");
    const torn = callOf(run.rows("evidence.jsonl").at(-1));
    truncateSync(evidence, statSync(evidence).size - 10);

    await run.resume();

    expect(run.calls).toEqual([torn]);
    expect(run.rows("evidence.jsonl")).toHaveLength(12);
    expect(await verifyBundle(run.workDir)).toMatchObject({ verdict: "verified", problems: [] });
  });

  it("does a failed trial again whose next try was killed before its evidence had rows", async () => {
    const run = await withWorkspaces();
    const trials = join(run.workDir, "trials.jsonl");
    const rows = run.rows("trials.jsonl");
    const failed: Record<string, unknown> = {
      ...rows[0],
      status: "failed",
      error: { type: "OutOfMemory", message: "m" },
    };
    writeFileSync(
      trials,
      [failed, ...rows.slice(1)].map((row) => `${JSON.stringify(row)}\n`).join(""),
    );
    const evidence = run.rows("evidence.jsonl").find((row) => row["trial_id"] === failed["id"]);
    writeFileSync(join(run.workDir, dirname(String(evidence?.["path"])), "c.txt"), "half");

    await run.resume();

    expect(run.calls).toEqual([callOf(evidence)]);
    expect(await verifyBundle(run.workDir)).toMatchObject({ verdict: "verified", problems: [] });
  });

  it("leaves out a row of evidence that stands twice", async () => {
    const run = await withWorkspaces();
    const [row] = run.rows("evidence.jsonl");
    appendFileSync(join(run.workDir, "evidence.jsonl"), `${JSON.stringify(row)}\n`);

    await run.resume();

    expect(run.calls).toEqual([]);
    expect(run.rows("evidence.jsonl")).toHaveLength(12);
    expect(await verifyBundle(run.workDir)).toMatchObject({ verdict: "verified", problems: [] });
  });

  it("is damaged, and runs nothing again, when a file was put beside the evidence of a trial", async () => {
    const run = await withWorkspaces();
    const { path: stored } = run.rows("evidence.jsonl")[0] as { path: string };
    const added = `${dirname(stored)}/added.txt`;
    writeFileSync(join(run.workDir, added), "x");

    expect(await refusal(() => run.resume())).toMatchObject({
      code: "ASSAY_BUNDLE_DAMAGED",
      message: expect.stringContaining(added),
    });
    expect(run.calls).toEqual([]);
    rmSync(join(run.workDir, added));
    expect((await run.resume()).status).toBe("completed");
  });

  it("is damaged, and runs nothing again, when all rows of evidence are gone and the files are not", async () => {
    const run = await withWorkspaces();
    writeFileSync(join(run.workDir, "evidence.jsonl"), "");

    expect(await refusal(() => run.resume())).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED" });
    expect(run.calls).toEqual([]);
  });

  it.each(["trials.jsonl", "attempts.jsonl", "scores.jsonl", "evidence.jsonl"])(
    "is damaged, and runs nothing again, when %s is gone",
    async (name) => {
      const run = resumable();
      await run.start();
      asKilled(run.workDir);
      rmSync(join(run.workDir, name));
      run.calls.length = 0;

      const refused = await refusal(() => run.resume());

      expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exitCode: 5 });
      expect(refused.message).toContain(name);
      expect(run.calls).toEqual([]);
    },
  );

  it("is damaged when what an earlier start had found was altered since, sealed or not", async () => {
    const stop = new AbortController();
    const run = resumable();
    await run.start({ agent: () => stopping(stop), config: { signal: stop.signal } });
    // What SIGKILL would leave of the run while it is resumed.
    const [copy, altered] = [join(run.root, "copy"), join(run.root, "altered")];
    const snapshot = () => {
      if (!existsSync(copy)) cpSync(run.workDir, copy, { recursive: true });
      return "yes";
    };
    await run.resume({ agent: snapshot });
    asKilled(copy);
    cpSync(copy, altered, { recursive: true });
    const file = join(altered, "trials.jsonl");
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace('"output_text":"yes"', '"output_text":"no"'),
    );

    const refused = await refusal(() => run.resume({ config: { workDir: altered } }));

    expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exitCode: 5 });
    expect(refused.message).toContain("trials.jsonl");
    expect(await run.resume({ config: { workDir: copy } })).toMatchObject({ status: "completed" });
  });

  it("by taking its directory away is told at once, and goes on in the new place", async () => {
    let isFirstReported = () => {};
    const firstReported = new Promise<void>((resolve) => {
      isFirstReported = resolve;
    });
    const agent = async (id: string, _index: number, { signal }: { signal: AbortSignal }) => {
      if (id === "t1") {
        await firstReported;
        renameSync(run.workDir, moved);
      }
      if (id === "t2") await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return "yes";
    };
    const onEvent = (event: RunEvent) => {
      if (event.type === "trial-end") isFirstReported();
    };
    const run = resumable({ agent, config: { trialsPerTask: 1, onEvent } });
    const moved = `${run.workDir}-moved`;

    expect(await refusal(() => run.start())).toMatchObject({
      code: "ASSAY_STORE_FAILED",
      message: expect.stringContaining("ENOENT"),
      exitCode: 4,
    });
    run.calls.length = 0;

    const resumed = await run.resume({ agent: () => "yes", config: { workDir: moved } });
    expect(resumed).toMatchObject({ status: "completed" });
    expect(run.calls).not.toContain("t0#0");
    expect(existsSync(run.workDir)).toBe(false);
  });

  it("is not gone on with while its process lives", async () => {
    const run = resumable();
    await run.start();
    asKilled(run.workDir);
    const claim = run.document("claim.json");
    const alive = { ...claim, pid: process.pid, start_ticks: startTicks() };
    writeFileSync(join(run.workDir, "claim.json"), JSON.stringify(alive));

    expect(await refusal(() => run.resume())).toMatchObject({
      code: "ASSAY_RUN_CLAIMED",
      exitCode: 2,
    });
  });

  it("can be killed while it is resumed, and resumed again", async () => {
    const run = resumable();
    await run.start();
    const whole = run.summary();
    asKilled(run.workDir);
    for (const name of journal) cutRows(run.workDir, name, 4);
    await run.resume();
    asKilled(run.workDir);
    for (const name of journal) cutRows(run.workDir, name, 1);
    run.calls.length = 0;

    await run.resume();

    expect(run.calls).toHaveLength(1);
    expect(run.summary()).toBe(whole);
  });
});

function stopping(stop: AbortController): string {
  stop.abort("SIGINT");
  return "yes";
}

function startTicks(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
}

describe("a run that was interrupted", () => {
  it("is resumed where it was, and names the bundle it went on from", async () => {
    const stop = new AbortController();
    const run = resumable({
      agent: (id) => {
        if (id === "t1") stop.abort("SIGINT");
        return "yes";
      },
    });
    const first = await run.start({ config: { signal: stop.signal } });
    expect(first).toMatchObject({ status: "interrupted", exitCode: 130 });
    const before = run.rows("trials.jsonl").length;
    run.calls.length = 0;

    const result = await run.resume();

    expect(result).toMatchObject({ status: "completed", exitCode: 0 });
    expect(run.calls).toHaveLength(6 - before);
    const { predicate } = run.document("provenance.json") as never as {
      predicate: { invocations: object[]; usage: object };
    };
    expect(predicate.invocations).toMatchObject([
      { cause: "SIGINT" },
      { cause: "ended", resumed_from: first.bundleDigest },
    ]);
    expect(predicate.usage).toMatchObject({ attempts: 6 });
  });

  it("counts what a trial had cost that was cancelled", async () => {
    const stop = new AbortController();
    const run = resumable({
      tasks: tasks(1),
      agent: (_id, _index, { usage, signal }) => {
        usage.add({ promptTokens: 100, costUsd: 0.5 });
        if (stop.signal.aborted) return "yes";
        stop.abort("SIGINT");
        return new Promise((_resolve, reject) => {
          if (signal.aborted) reject(signal.reason);
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      },
    });
    await run.start({ config: { signal: stop.signal } });
    expect(run.rows("trials.jsonl")).toEqual([]);
    expect(run.rows("attempts.jsonl")).toMatchObject([
      { cause: "cancelled", trial_index: 0, cost_usd: 0.5 },
    ]);

    await run.resume();

    const { predicate } = run.document("provenance.json") as never as {
      predicate: { usage: object };
    };
    expect(predicate.usage).toMatchObject({ attempts: 3, prompt_tokens: 300, cost_usd: 1.5 });
    const attempts = run.rows("attempts.jsonl").filter((row) => row["trial_index"] === 0);
    expect(attempts.map((row) => row["attempt_index"])).toEqual([0, 1]);
  });

  it("is not gone on with when what it had sealed was altered", async () => {
    const stop = new AbortController();
    const run = resumable({ agent: () => stopping(stop) });
    await run.start({ config: { signal: stop.signal } });
    appendFileSync(join(run.workDir, "scores.jsonl"), "\n");

    expect(await refusal(() => run.resume())).toMatchObject({
      code: "ASSAY_BUNDLE_DAMAGED",
      exitCode: 5,
    });
    expect(existsSync(join(run.workDir, "claim.json"))).toBe(false);
  });
});

describe("a run that is whole", () => {
  it("is left as it is when it is resumed", async () => {
    const run = resumable();
    const first = await run.start();
    const before = readFileSync(join(run.workDir, "run.json"), "utf8");
    run.calls.length = 0;

    const result = await run.resume();

    expect(run.calls).toEqual([]);
    expect(result.bundleDigest).toBe(first.bundleDigest);
    expect(readFileSync(join(run.workDir, "run.json"), "utf8")).toBe(before);
  });

  it("is extended by more trials per task and by more tasks, which is recorded", async () => {
    const run = resumable();
    await run.start();
    run.calls.length = 0;

    const result = await run.resume({ tasks: tasks(4), config: { trialsPerTask: 3 } });

    expect(run.calls).toEqual(["t0#2", "t1#2", "t2#2", "t3#0", "t3#1", "t3#2"]);
    expect(result.summary.trialCount).toBe(12);
    const { predicate } = run.document("provenance.json") as never as {
      predicate: { invocations: object[] };
    };
    expect(predicate.invocations[1]).toMatchObject({
      accepted: ["trials per task: 2 is now 3", 'task added: "t3"'],
    });
  });
});

describe("a run with credentials among its parameters and labels", () => {
  it("is resumed with the same ones, and no message shows them", async () => {
    const secret = "zq7-Quiet-Otter-Parade";
    const run = resumable({ env: { MYTHING: secret } });
    const config = { secrets: ["MYTHING"], labels: { who: secret, api_key: "abcdefgh12" } };
    await run.start({ config });
    asKilled(run.workDir);
    for (const name of journal) cutRows(run.workDir, name, 1);

    expect(await run.resume({ config })).toMatchObject({ status: "completed" });

    const other = { ...config, labels: { ...config.labels, who: "somebody else" } };
    const refused = await refusal(() => run.resume({ config: other }));
    expect(refused.exitCode).toBe(2);
    expect(refused.message).not.toContain(secret);
  });
});

describe("what differs from the plan of a run", () => {
  const changed = { options: { trialIdSuffix: "other" } };

  it.each([
    ["an option of the target", changed, "target option trial_id_suffix"],
    [
      "a task",
      { tasks: tasks(3).map((task) => ({ ...task, intent: "something else" })) },
      'tasks changed: "t0", "t1", "t2"',
    ],
    ["a task that is gone", { tasks: tasks(2) }, "not in the suite any more"],
    ["a metric that is gone", { metrics: [] }, ""],
    [
      "another metric",
      { metrics: [metric("other", () => ({ outputs: { score: 1 } }))] },
      'metric "other" was added\n  - tasks changed, by their metrics or otherwise: "t0", "t1", "t2"',
    ],
    ["fewer trials", { config: { trialsPerTask: 1 } }, "trials per task: 2 is now 1"],
    ["fewer tasks", { config: { limit: 1 } }, "not selected"],
  ])("is refused: %s", async (_what, more, text) => {
    const run = resumable();
    await run.start();
    const before = run.document("run.json");

    const refused = await refusal(() => run.resume(more as never));

    expect(refused.exitCode).toBe(2);
    expect(refused.message).toContain(text);
    expect(run.document("run.json")).toEqual(before);
  });

  it("is listed whole, each difference by its name", async () => {
    const run = resumable();
    await run.start();

    const { code, message } = await refusal(() =>
      run.resume({ ...changed, tasks: tasks(2), config: { trialsPerTask: 1 } }),
    );

    expect(code).toBe("ASSAY_RESUME_DIFFERS");
    expect(message.split("\n").filter((line) => line.startsWith("  - "))).toHaveLength(3);
  });
});

describe("failed trials and metrics", () => {
  it("stay as they are without retryFailed", async () => {
    const run = resumable({ agent: (id) => (id === "t1" ? Symbol("no reply") : "yes") });
    await run.start();
    run.calls.length = 0;

    await run.resume();

    expect(run.calls).toEqual([]);
  });

  it("are done again with it, and stand once in the bundle; the ledger keeps the earlier attempts", async () => {
    const run = resumable({ agent: (id) => (id === "t1" ? Symbol("no reply") : "yes") });
    const first = await run.start();
    expect(first.summary.errorCount).toBeGreaterThan(0);
    run.calls.length = 0;

    const result = await run.resume({ agent: () => "yes", config: { retryFailed: true } });

    expect(run.calls).toEqual(["t1#0", "t1#1"]);
    expect(result).toMatchObject({ status: "completed", exitCode: 0 });
    expect(run.rows("trials.jsonl").map(({ status }) => status)).toEqual(
      Array.from({ length: 6 }, () => "completed"),
    );
    expect(run.rows("scores.jsonl")).toHaveLength(6);
    const attempts = run.rows("attempts.jsonl").filter(({ task_id: id }) => id === "t1");
    expect(attempts.map((row) => row["attempt_index"])).toEqual([0, 0, 1, 1]);
  });

  it("keep their old row until the new one is there", async () => {
    const run = resumable({ agent: (id) => (id === "t1" ? Symbol("no reply") : "yes") });
    await run.start();
    const stop = new AbortController();

    await run.resume({
      agent: () => stopping(stop),
      config: { retryFailed: true, signal: stop.signal },
    });

    expect(run.rows("trials.jsonl")).toHaveLength(6);
  });

  it("that are metrics are computed again, and no agent is run for them", async () => {
    let fails = true;
    const moody = metric("moody", () => {
      if (fails) throw new Error("the judge is down");
      return { outputs: { score: 1 } };
    });
    const run = resumable({ metrics: [constant(), moody] });
    expect(await run.start()).toMatchObject({ exitCode: 4 });
    fails = false;
    run.calls.length = 0;

    const result = await run.resume({ config: { retryFailed: true } });

    expect(run.calls).toEqual([]);
    expect(result.exitCode).toBe(0);
    expect(run.rows("scores.jsonl")).toHaveLength(12);
  });
});

describe("resuming", () => {
  it("needs a directory that holds a run", async () => {
    const run = resumable();

    expect(await refusal(() => run.resume())).toMatchObject({
      code: "ASSAY_BUNDLE_NOT_FOUND",
      message: expect.stringContaining("no such directory"),
      error: { remedy: expect.stringContaining("Leave out --resume") },
      exitCode: 2,
    });
    expect(existsSync(run.workDir)).toBe(false);
  });

  it.each(["retryFailed", "allowDrift", "takeOver"])("is what %s belongs to", async (name) => {
    const run = resumable();

    expect(await refusal(() => run.start({ config: { [name]: true } }))).toMatchObject({
      code: "ASSAY_CONFIG_INVALID",
      exitCode: 2,
    });
  });

  it("removes the documents that were half written", async () => {
    const run = resumable();
    await run.start();
    asKilled(run.workDir);
    cutRows(run.workDir, "trials.jsonl", 1);
    const left = join(run.workDir, ".summary.json.0123456789ab.tmp");
    writeFileSync(left, "{");
    const halfRewritten = join(run.workDir, ".scores.jsonl.000000000000.tmp");
    writeFileSync(halfRewritten, "{");
    rmSync(join(run.workDir, "tasks.jsonl"));

    await run.resume();

    expect([left, halfRewritten].map((file) => existsSync(file))).toEqual([false, false]);
    expect(run.rows("tasks.jsonl")).toHaveLength(3);
  });
});
