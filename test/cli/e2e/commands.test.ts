import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assay, folder, suiteText } from "./assay-process.ts";

const agent = `async ({ inputs }) => { if (inputs.instruction === "bad") throw new Error("lost\\u001b[2J the\\nthread"); return "yes"; }`;

describe("assay show", () => {
  it("shows summary, what made it, what failed, and the digest last", async () => {
    const cwd = folder({
      "s.eval.ts": suiteText({ ids: ["good", "bad"], agent, more: "labels: { team: 'x' }," }),
    });
    const run = await assay(["run", "s.eval.ts", "--out", "o"], { cwd });
    const { exitCode, stdout } = await assay(["show", "o"], { cwd });

    expect(exitCode).toBe(0);
    expect(stdout).toContain("labels    team=x");
    expect(stdout).toContain("AgentError (1): bad:trial\n");
    expect(stdout).toContain("lost\\x1b[2J the");
    expect(stdout).toContain("\ndigests   each begins with assay-<name>-v1:sha256:\n");
    expect(stdout).toMatch(/^code {6}[0-9a-f]{64}$/m);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(run.stdout.trimEnd().split("\n").at(-1));
  });

  it("with --json gives the same as one document", async () => {
    const cwd = folder({ "s.eval.ts": suiteText({ ids: ["good", "bad"], agent }) });
    await assay(["run", "s.eval.ts", "--out", "o"], { cwd });
    const { stdout } = await assay(["show", "o", "--json"], { cwd });

    expect(JSON.parse(stdout)).toMatchObject({
      status: "completed",
      failure_count: 1,
      failures: [
        {
          kind: "trial",
          task_id: "bad",
          trial_id: "bad:trial",
          what: "partial",
          type: "AgentError",
        },
      ],
      provenance: { _type: "https://in-toto.io/Statement/v1" },
      summary: { trial_count: 2 },
    });
  });

  it.each([[[]], [["--json"]]])(
    "%j says that the records were verified, and no evidence",
    async (flags) => {
      const cwd = folder({ "s.eval.ts": suiteText({}) });
      await assay(["run", "s.eval.ts", "--out", "o"], { cwd });
      const { stdout } = await assay(["show", "o", ...flags], { cwd });

      if (flags.length === 0)
        expect(stdout).toContain(
          "\nverified  the records are as they were sealed; evidence not verified\nsha256:",
        );
      else
        expect(JSON.parse(stdout)).toMatchObject({
          integrity: { records: "verified", evidence: "not_verified" },
        });
    },
  );

  it.each([[["scores.jsonl", "attempts.jsonl"]], [["run.json"]]])(
    "of a bundle whose %j were altered shows nothing but that, with exit code 5",
    async (names) => {
      const cwd = folder({ "s.eval.ts": suiteText({}) });
      await assay(["run", "s.eval.ts", "--out", "o"], { cwd });
      for (const name of names) {
        const file = join(cwd, "o", name);
        writeFileSync(file, readFileSync(file, "utf8").replace("a", "b"));
      }

      for (const flags of [[], ["--json"]]) {
        const { exitCode, stdout, stderr } = await assay(["show", "o", ...flags], { cwd });

        const told = flags.length === 0 ? stderr : JSON.parse(stdout).error.message;
        for (const name of names) expect(told).toContain(`${name}: expected sha256:`);
        expect(told).toContain(", found sha256:");
        if (flags.length === 0) expect(stdout).toBe("");
        expect(exitCode).toBe(5);
      }
    },
  );

  it("of a run that was killed says that its process is dead, when it last wrote and how to go on", async () => {
    const agent = `async () => { process.kill(process.pid, "SIGKILL"); await new Promise(() => {}); return ""; }`;
    const cwd = folder({ "s.eval.ts": suiteText({ agent }) });
    await assay(["run", "s.eval.ts", "--out", "o"], { cwd });

    const { exitCode, stdout, stderr } = await assay(["show", "o"], { cwd });

    expect(stderr).toMatch(
      /unfinished, last write at 20.*; process \d+ on ".*", which wrote it, is dead/,
    );
    expect(stderr).toContain("assay run <suite>");
    expect(stderr).toContain("--resume");
    expect([stdout, exitCode]).toEqual(["", 4]);
  });
});

describe("assay rescore", () => {
  it("scores stored trials with other metrics, runs nothing, and keeps the lineage", async () => {
    const cwd = folder({
      "s.eval.ts": suiteText({ ids: ["good", "bad"], agent }),
      "other.eval.ts": suiteText({
        ids: ["good", "bad"],
        agent: `async () => { throw new Error("it ran"); }`,
      }).replace('reference: "yes"', 'reference: "no"'),
    });
    const run = await assay(["run", "s.eval.ts", "--out", "o"], { cwd });
    const { exitCode, stdout } = await assay(
      ["rescore", "o", "--suite", "other.eval.ts", "--out", "p"],
      { cwd },
    );

    expect(exitCode).toBe(0);
    expect(stdout.replace(/\s+/g, " ")).toContain(
      "lineage its trials were scored again from run agent-eval-",
    );
    expect(stdout).toContain(run.stdout.trimEnd().split("\n").at(-1));
    const { scores } = JSON.parse(readFileSync(join(cwd, "p/summary.json"), "utf8")).scores;
    expect(scores).toContainEqual(
      expect.objectContaining({ name: "exact-match.exact-match", mean: 0 }),
    );
  });

  it("of an altered bundle writes nothing, with exit code 5", async () => {
    const cwd = folder({ "s.eval.ts": suiteText({}) });
    await assay(["run", "s.eval.ts", "--out", "o"], { cwd });
    const file = join(cwd, "o/trials.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace('"yes"', '"no!"'));
    const args = ["rescore", "o", "--suite", "s.eval.ts", "--out"];

    const { exitCode, stderr } = await assay([...args, "p"], { cwd });

    expect(stderr).toContain("trials.jsonl: expected sha256:");
    expect(exitCode).toBe(5);
    expect(existsSync(join(cwd, "p"))).toBe(false);
  });

  it("scores what a run of the first tasks holds, and says what is left out and what was evaluated", async () => {
    const cwd = folder({ "s.eval.ts": suiteText({ ids: ["a", "b", "c"] }) });
    await assay(["run", "s.eval.ts", "--out", "o", "--limit", "1"], { cwd });
    const args = ["rescore", "o", "--suite", "s.eval.ts", "--out"];

    const { exitCode, stdout, stderr } = await assay([...args, "p"], { cwd });

    expect(stderr).toBe(
      "warning: 2 of 3 tasks of the suite are left out: the bundle holds no trial of them\n",
    );
    expect(stdout).toContain("target    callable (runner); its trials were scored again");
    expect(stdout.replace(/\s+/g, " ")).toContain("2 tasks of the suite without a trial left out");
    expect(exitCode).toBe(0);
    expect((await assay([...args, "o/inside"], { cwd })).exitCode).toBe(2);
  });

  it("asks for the suite and a place", async () => {
    const { exitCode, stderr } = await assay(["rescore", "o"], { cwd: folder({}) });

    expect(stderr).toContain("required option '--suite <file>' not specified");
    expect(exitCode).toBe(2);
  });
});

describe("the commands that describe", () => {
  it("assay runners lists each runner with its options, roles and defaults, in 80 columns", async () => {
    const { stdout } = await assay(["runners"], { cwd: folder({}) });
    const { stdout: json } = await assay(["runners", "--json"], { cwd: folder({}) });

    expect(stdout).toContain("timeout_s (number | null, default null, shapes)");
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    const callable = JSON.parse(json).find(({ name }: { name: string }) => name === "callable");
    expect(
      callable.options.map(({ name, role }: { name: string; role: string }) => [name, role]),
    ).toContainEqual(["parallelism", "operational"]);
  });

  it("assay schema lists files and metrics, and prints the JSON Schema of each", async () => {
    const cwd = folder({});
    const { stdout: list } = await assay(["schema"], { cwd });
    const { stdout: json } = await assay(["schema", "--json"], { cwd });

    expect(list).toMatch(/^ {2}suite$/m);
    expect(list).toMatch(/^ {2}exact-match +\S/m);
    expect(Math.max(...list.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(JSON.parse(json)).toMatchObject({ files: expect.arrayContaining(["suite"]) });
    for (const name of ["suite", "trial", "manifest"]) {
      const { stdout } = await assay(["schema", name], { cwd });
      expect(JSON.parse(stdout)).toMatchObject({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
      });
    }
    const { stdout: metric } = await assay(["schema", "string-check"], { cwd });
    expect(Object.keys(JSON.parse(metric).properties)).toContain("left_template");
  });

  it("assay doctor says what is here, and names variables that are missing", async () => {
    const cwd = folder({});
    const { exitCode, stdout } = await assay(
      ["doctor", "--variable", "NOT_SET", "--variable", "IS_SET"],
      { cwd, env: { IS_SET: "1" } },
    );

    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/^ {2}scratch directory {2}ok$/m);
    expect(stdout).toMatch(/^ {2}callable {11}ok$/m);
    expect(stdout).toContain("Variables that are not set\n  NOT_SET\n");
    expect(stdout).not.toContain("IS_SET");
  });

  it("assay doctor finds nothing wrong with a machine that lacks what only some runners need", async () => {
    const { exitCode, stdout } = await assay(["doctor"], {
      cwd: folder({}),
      env: { PATH: "/nonexistent" },
    });

    expect(stdout).toContain("codex");
    expect(stdout).toContain("missing");
    expect(exitCode).toBe(0);
  });

  it("assay doctor tells a place for scratch that cannot be written, with exit code 3", async () => {
    const { exitCode, stdout, stderr } = await assay(["doctor"], {
      cwd: folder({}),
      env: { XDG_CACHE_HOME: "/proc/nowhere" },
    });

    expect(stdout).toMatch(/^ {2}scratch directory {2}unusable no scratch directory can be made/m);
    expect(stdout).toContain("XDG_CACHE_HOME");
    expect(stderr).toBe("");
    expect(exitCode).toBe(3);
  });

  it("the help of a command says which options it cannot do without", async () => {
    const { stdout } = await assay(["rescore", "--help"], { cwd: folder({}) });

    expect(stdout.replace(/\s+/g, " ")).toMatch(
      /--suite <file> [^-]*\(required\) --out <dir> [^-]*\(required\)/,
    );
  });

  it("assay --version prints the version of the package", async () => {
    const { stdout } = await assay(["--version"], { cwd: folder({}) });

    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([[["--help"]], [["help", "run"]], [["run", "--help"]], [["show", "-h"]]])(
    "%j prints help in 80 columns with exit code 0",
    async (args) => {
      const { exitCode, stdout, stderr } = await assay(args, { cwd: folder({}) });

      expect(stdout).toContain("Usage: assay");
      expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
      expect(stderr).toBe("");
      expect(exitCode).toBe(0);
    },
  );

  it("without a command prints help on stderr with exit code 2", async () => {
    const { exitCode, stdout, stderr } = await assay([], { cwd: folder({}) });

    expect(stderr).toContain("Usage: assay");
    expect(stdout).toBe("");
    expect(exitCode).toBe(2);
  });
});

describe("assay clean", () => {
  it("removes what dead runs left, shows it first with --dry-run, and touches nothing else", async () => {
    const cwd = folder({
      "s.eval.ts": suiteText({
        agent: `async () => { process.kill(process.pid, "SIGKILL"); await new Promise(() => {}); return ""; }`,
      }),
    });
    await assay(["run", "s.eval.ts", "--out", "o"], { cwd });
    const scratch = join(cwd, ".cache/assay/scratch");
    mkdirSync(join(scratch, "mine"));
    const left = readdirSync(scratch).filter((name) => name !== "mine");
    expect(left).toHaveLength(1);

    const dry = await assay(["clean", "--dry-run"], { cwd });
    expect(dry.stdout).toContain(`would remove ${join(scratch, left[0]!)}`);
    expect(readdirSync(scratch)).toHaveLength(2);

    const { stdout } = await assay(["clean", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      is_dry_run: false,
      removed: [{ path: join(scratch, left[0]!) }],
    });
    expect(readdirSync(scratch)).toEqual(["mine"]);
    expect(existsSync(join(cwd, "o"))).toBe(true);
    expect((await assay(["clean"], { cwd })).stdout).toContain("Nothing to clean.");
  });
});
