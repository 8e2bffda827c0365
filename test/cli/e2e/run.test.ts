import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repoRoot } from "../../support/tools.ts";
import { assay, folder, startAssay, suiteText } from "./assay-process.ts";

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));
const slowAgent = `async ({ inputs }, { signal }) => {
  if (inputs.instruction === "quick") return "yes";
  const waiting = setTimeout(() => {}, 600_000);
  await new Promise((_resolve, reject) => signal.addEventListener("abort", () => { clearTimeout(waiting); reject(new Error("stopped")); }));
  return "never";
}`;

describe("assay run", () => {
  it("runs the quickstart as its README says", async () => {
    const cwd = folder({});
    cpSync(join(repoRoot, "examples/quickstart"), cwd, { recursive: true });
    const { exitCode, stdout, stderr } = await assay(
      ["run", "quickstart.eval.ts", "--out", "results"],
      { cwd },
    );

    expect(stderr).toContain("3 tasks, 6 trials, target callable");
    expect(exitCode).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toContain("trials=6");
    expect(lines).toContain("bundle    results");
    expect(lines).toContain("status    completed");
    expect(lines.at(-1)).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(readJson(cwd, "results/summary.json").scores.scores).toContainEqual(
      expect.objectContaining({ name: "exact-match.exact-match", mean: 4 / 6 }),
    );
  });

  it("writes to .assay/runs/<run id> when no place is given", async () => {
    const cwd = folder({ "s.eval.ts": suiteText({}) });
    const { stdout } = await assay(["run", "s.eval.ts", "--quiet"], { cwd });

    const [runId = ""] = readdirSync(join(cwd, ".assay/runs"));
    expect(runId).toMatch(/^agent-eval-\d{14}-[0-9a-f]{8}$/);
    expect(readJson(cwd, ".assay/runs", runId, "run.json").run_id).toBe(runId);
    expect(stdout.split("\n").slice(0, 2)).toEqual([
      "status    completed",
      `bundle    .assay/runs/${runId}`,
    ]);
  });

  it("gives flags before the suite's words: trials, labels, tasks, limit, parameters", async () => {
    const cwd = folder({
      "s.eval.ts": suiteText({
        ids: ["a", "b", "c"],
        more: "trials: 5, labels: { team: 'x', kind: 'suite' },",
      })
        .replace("defineSuite({", "defineSuite(({ title }) => ({ ...{")
        .replace('name: "e2e",', "")
        .replace(/}\);\s*$/, '}, name: title ?? "none" }));'),
    });
    const { exitCode } = await assay(
      [
        "run",
        "s.eval.ts",
        "--out",
        "o",
        "--trials",
        "2",
        "--label",
        "kind=flag",
        "--task",
        "b",
        "--task",
        "c",
        "--limit",
        "1",
        "-P",
        "title=shop",
      ],
      { cwd },
    );

    expect(exitCode).toBe(0);
    const plan = readJson(cwd, "o/plan.json");
    expect(plan).toMatchObject({
      suite_name: "shop",
      trials_per_task: 2,
      parameters: { title: "shop" },
      labels: { team: "x", kind: "flag" },
    });
    expect(plan.tasks.map(({ id }: { id: string }) => id)).toEqual(["b"]);
  });

  it("takes an option from the flag before the environment before the suite, and records whence", async () => {
    const cwd = folder({
      "s.eval.ts": suiteText({ agent: `async () => "yes", timeoutS: 5, trialIdSuffix: "suite"` }),
    });
    const env = {
      ASSAY_SET_TARGET__TRIAL_ID_SUFFIX: "environment",
      ASSAY_SET_TARGET__TIMEOUT_S: "7",
    };
    await assay(["run", "s.eval.ts", "--out", "o", "--set", "target.timeout_s=9"], { cwd, env });

    const { predicate } = readJson(cwd, "o/provenance.json");
    expect(predicate.runner.config).toMatchObject({
      timeout_s: 9,
      trial_id_suffix: "environment",
      parallelism: null,
    });
    expect(predicate.runner.origins).toMatchObject({
      timeout_s: "flag",
      trial_id_suffix: "environment",
      parallelism: "default",
      agent_fn: "suite",
    });
    expect(predicate.invocations[0].command).toEqual([
      "assay",
      "run",
      "s.eval.ts",
      "--out",
      "o",
      "--set",
      "target.timeout_s=...",
    ]);
  });

  it("with --json prints one document, whatever the suite and the agent print", async () => {
    const cwd = folder({
      "s.eval.ts": `console.log("loading");\n${suiteText({ agent: `async () => { console.log("working"); process.stdout.write("raw"); return "yes"; }` })}`,
    });
    const { stdout, stderr } = await assay(["run", "s.eval.ts", "--json", "--out", "o"], { cwd });

    expect(JSON.parse(stdout)).toMatchObject({
      status: "completed",
      exit_code: 0,
      work_dir: join(cwd, "o"),
      summary: { trial_count: 1 },
    });
    expect(stderr).toContain("loading");
    expect(stderr).toContain("working");
  });

  it("with --dry-run shows the plan, and runs and writes nothing", async () => {
    const cwd = folder({
      "s.eval.ts": suiteText({
        agent: `async () => { throw new Error("it ran"); }`,
        ids: ["a", "b"],
      }),
    });
    const { exitCode, stdout } = await assay(["run", "s.eval.ts", "--dry-run", "--trials", "3"], {
      cwd,
    });
    const json = await assay(["run", "s.eval.ts", "--dry-run", "--json"], { cwd });

    expect(exitCode).toBe(0);
    expect(stdout).toContain("trials    6 (3 per task)");
    expect(stdout).toContain('agent_fn = "s#agent"');
    expect(JSON.parse(json.stdout)).toMatchObject({
      suite_name: "e2e",
      task_ids: ["a", "b"],
      trial_count: 2,
    });
    expect(existsSync(join(cwd, ".assay"))).toBe(false);
  });

  it("ends with 4 when a trial could not be produced or a metric failed, and with 0 when scores are low", async () => {
    const cwd = folder({
      "bad.eval.ts": suiteText({ agent: `async () => 3 as never` }),
      "low.eval.ts": suiteText({ agent: `async () => "no"` }),
      "throws.eval.ts": suiteText({ agent: `async () => { throw new Error("no luck"); }` }),
    });

    const codes = [];
    for (const name of ["bad", "low", "throws"])
      codes.push((await assay(["run", `${name}.eval.ts`], { cwd })).exitCode);

    expect(codes).toEqual([4, 0, 0]);
    const { stderr } = await assay(["run", "bad.eval.ts", "--quiet", "--out", "o"], { cwd });
    expect(stderr).toBe(
      "exit code 4: some trials or scores could not be produced\ndo them again by: assay run bad.eval.ts --resume --retry-failed --out o\n",
    );
  });

  it("makes the same plan of a suite in TypeScript and in YAML", async () => {
    const trial = { id: "t", task_id: "a", status: "completed", output: { output_text: "yes" } };
    const task = { id: "a", intent: "says yes", inputs: { instruction: "a" } };
    const cwd = folder({
      "trials.jsonl": `${JSON.stringify(trial)}\n`,
      "s.eval.ts": `
        import { exactMatch } from "assay/metrics";
        export default {
          name: "s",
          tasks: [${JSON.stringify(task)}],
          metrics: [exactMatch({ reference: "yes" })],
          importedTrials: { jsonl: "trials.jsonl" },
        };`,
      "s.yaml": `
        tasks: [${JSON.stringify(task)}]
        metrics: [{ type: exact-match, reference: "yes" }]
        trials: trials.jsonl`,
    });
    const plans = [];
    for (const suite of ["s.eval.ts", "s.yaml"]) {
      plans.push(JSON.parse((await assay(["run", suite, "--dry-run", "--json"], { cwd })).stdout));
    }

    expect(plans[0].plan_digest).toMatch(/^assay-plan-v1:sha256:/);
    expect(plans[1]).toEqual(plans[0]);
  });

  it("goes on when nobody reads the output any more", async () => {
    const cwd = folder({ "s.eval.ts": suiteText({}) });
    const run = startAssay(["run", "s.eval.ts", "--out", "o"], { cwd, closesStdout: true });
    const { exitCode, stderr } = await run.ended;

    expect(exitCode).toBe(0);
    expect(stderr).not.toContain("EPIPE");
    expect(readJson(cwd, "o/run.json").status).toBe("completed");
  });
});

describe("a run that is interrupted", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 143],
    ["SIGQUIT", 143],
  ] as const)(
    "by %s ends in order with %d, keeps what is finished, and says so",
    async (signal, code) => {
      const cwd = folder({
        "s.eval.ts": suiteText({
          ids: ["quick", "slow"],
          agent: slowAgent,
          more: "concurrency: 1,",
        }),
      });
      const run = startAssay(["run", "s.eval.ts", "--out", "o"], { cwd });
      await run.saw("quick:trial completed");
      run.kill(signal);
      const { exitCode, stdout, stderr } = await run.ended;

      expect(stderr).toContain(`${signal}: ending the run`);
      expect(stdout).toContain(`status    interrupted: ${signal}`);
      expect(exitCode).toBe(code);
      expect(readJson(cwd, "o/run.json").status).toBe("interrupted");
      expect(readFileSync(join(cwd, "o/trials.jsonl"), "utf8").trim().split("\n")).toHaveLength(1);
    },
  );

  it("by a second signal ends at once", async () => {
    const stubborn = `async ({ inputs }) => { if (inputs.instruction === "quick") return "yes"; await new Promise((done) => setTimeout(done, 600_000)); return ""; }`;
    const cwd = folder({
      "s.eval.ts": suiteText({ ids: ["quick", "slow"], agent: stubborn, more: "concurrency: 1," }),
    });
    const run = startAssay(["run", "s.eval.ts", "--out", "o"], { cwd });
    await run.saw("quick:trial completed");
    run.kill("SIGINT");
    await run.saw("ending the run");
    run.kill("SIGINT");

    expect((await run.ended).exitCode).toBe(130);
    expect(readJson(cwd, "o/run.json").status).toBe("running");
  });

  it("by an agent that waits for what never comes ends with 4, and says why", async () => {
    const cwd = folder({
      "s.eval.ts": suiteText({ agent: `async () => await new Promise(() => {})` }),
    });
    const { exitCode, stdout } = await assay(["run", "s.eval.ts", "--out", "o"], { cwd });

    expect(stdout).toContain("nothing is left to wait for");
    expect(exitCode).toBe(4);
    expect(readJson(cwd, "o/run.json").status).toBe("interrupted");
  }, 60_000);
});
