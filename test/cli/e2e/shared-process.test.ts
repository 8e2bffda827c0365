import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assay, bin, folder, startAssay, suiteText } from "./assay-process.ts";

const statusOf = (cwd: string) => JSON.parse(readFileSync(join(cwd, "o/run.json"), "utf8")).status;
const rowsOf = (cwd: string) =>
  readFileSync(join(cwd, "o/trials.jsonl"), "utf8").trim().split("\n").length;
const waits = `await new Promise((done) => setTimeout(done, 300));`;

/** Runs a suite whose agent has this body; `id` is the task. */
async function runWith(body: string, more = "", env = {}) {
  const agent = `async ({ inputs }) => { const id = inputs.instruction; ${body}; return "yes"; }`;
  const cwd = folder({ "s.eval.ts": suiteText({ agent, ids: ["a", "b"], more }) });
  return { cwd, ...(await assay(["run", "s.eval.ts", "--out", "o"], { cwd, env })) };
}

describe("code of the suite that shares the process", () => {
  it.each([0, 1])(
    "process.exit(%d) of an agent ends with 4 and says what is kept",
    async (code) => {
      const { cwd, exitCode, stderr } = await runWith(
        `if (id === "b") process.exit(${code})`,
        "concurrency: 1,",
      );

      expect(exitCode).toBe(4);
      expect(stderr).toContain("ended the process (process.exit) during the run");
      expect(stderr).toContain("what was finished is in o, and `assay clean`");
      expect(rowsOf(cwd)).toBe(1);
    },
  );

  it.each(["process.exitCode = 0", "process.exit(0)"])(
    "a listener of an agent that calls %s cannot hide how the command ended",
    async (evil) => {
      const body = `process.on("exit", () => { ${evil}; }); return "yes";`;
      const failing = `metrics: [function broken() { throw new Error("no"); }],`;
      const cwd = folder({
        "s.eval.ts": suiteText({ agent: `async () => { ${body} }` }).replace(
          /metrics: .*/,
          failing,
        ),
        "e.eval.ts": suiteText({
          agent: `async () => { process.on("exit", () => { ${evil}; }); process.exit(0); }`,
        }),
      });

      expect((await assay(["run", "s.eval.ts", "--out", "o"], { cwd })).exitCode).toBe(4);
      expect((await assay(["run", "e.eval.ts", "--out", "p"], { cwd })).exitCode).toBe(4);
    },
  );

  it.each([
    ["Object.prototype.evil = 1", 'added "evil" to Object.prototype'],
    ["Array.prototype.map = () => []", "replaced Array.prototype.map"],
  ])(
    "an agent that breaks the process by %s is told, and not as a bug in Assay",
    async (evil, what) => {
      const { exitCode, stderr } = await runWith(evil);

      expect(stderr).toContain(`code of the suite or of an agent ${what} in this process`);
      expect(stderr).toContain("code: ASSAY_PROCESS_DISTURBED");
      expect(stderr).not.toContain("bug");
      expect(exitCode).toBe(4);
    },
  );

  it("process.exit(0) of a metric ends rescoring with 4", async () => {
    const cwd = folder({
      "s.eval.ts": suiteText({}),
      "exits.eval.ts": suiteText({}).replace(
        /metrics: .*/,
        "metrics: [function exits() { process.exit(0); }],",
      ),
    });
    await assay(["run", "s.eval.ts", "--out", "o"], { cwd });
    const args = ["rescore", "o", "--suite", "exits.eval.ts", "--out", "again"];
    const { exitCode, stderr } = await assay(args, { cwd });

    expect(stderr).toContain("what was finished is in again");
    expect(exitCode).toBe(4);
  });

  it("process.exit(0) of a suite while it is loaded ends with 2", async () => {
    const cwd = folder({ "s.eval.ts": `process.exit(0);` });
    const { exitCode, stderr } = await assay(["run", "s.eval.ts"], { cwd });

    expect(exitCode).toBe(2);
    expect(stderr).toContain("while it was loaded; nothing was run");
  });

  it.each([
    ["rejection", `void Promise.reject(new Error("stray \\x1b[31m" + process.env.MYCRED))`],
    [
      "throw of a timer",
      `setTimeout(() => { throw new Error("stray \\x1b[31m" + process.env.MYCRED); })`,
    ],
  ])(
    "a %s that nobody awaits is told once, without secrets, and the run goes on",
    async (_kind, stray) => {
      const { cwd, exitCode, stderr } = await runWith(
        `${stray}; ${waits}`,
        `secrets: ["MYCRED"],`,
        {
          MYCRED: "correct-horse-battery",
        },
      );

      expect(exitCode).toBe(0);
      expect(statusOf(cwd)).toBe("completed");
      expect(stderr.match(/warning: an error that no code awaits.*stray/g)).toHaveLength(1);
      expect(stderr).toContain("Error: stray \\x1b[31m");
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there
      expect(stderr).not.toMatch(/horse|\n {4}at |\u001b/);
    },
  );

  it("tells five different ones and counts the rest", async () => {
    const { exitCode, stderr } = await runWith(
      `for (let n = 0; n < 20; n++) void Promise.reject(id + n); ${waits}`,
    );

    expect(exitCode).toBe(0);
    expect(stderr.match(/the run goes on/g)).toHaveLength(5);
    expect(stderr).toContain("warning: 35 more errors that no code awaits are only counted");
  });

  it("a rejection while the suite is loaded is told as an error with 70", async () => {
    const cwd = folder({
      "s.eval.ts": `void Promise.reject(new Error("stray")); ${waits}\n${suiteText({})}`,
    });
    const { exitCode, stderr } = await assay(["run", "s.eval.ts", "--out", "o"], { cwd });

    expect(exitCode).toBe(70);
    expect(stderr).toContain("error: Error: stray");
  });
});

describe("with --json, what an agent prints past Node's streams", () => {
  const prints = `
    const { writeSync } = await import("node:fs");
    const { spawnSync } = await import("node:child_process");
    writeSync(1, "from a descriptor\\n");
    spawnSync(process.execPath, ["-e", "console.log('from a child')"], { stdio: "inherit" });
    console.log("from the console");`;

  it("goes to stderr where stdout is a file, which holds one document", async () => {
    const agent = `async () => { ${prints} return "yes"; }`;
    const cwd = folder({ "s.eval.ts": suiteText({ agent }) });
    const out = join(cwd, "out.json");
    const fd = openSync(out, "w");
    const { ended } = startAssay(["run", "s.eval.ts", "--json"], { cwd, stdout: fd });
    const { exitCode, stderr } = await ended;
    closeSync(fd);

    expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({ status: "completed" });
    expect(stderr).toContain("from the console");
    expect(exitCode).toBe(0);
  });

  it("goes to stderr where both are pipes of a shell", () => {
    const agent = `async () => { ${prints} return "yes"; }`;
    const cwd = folder({ "s.eval.ts": suiteText({ agent }) });
    const script = '{ "$@" --json | cat >out.json; } 2>&1 | cat >err.txt';
    spawnSync("sh", ["-c", script, "sh", process.execPath, bin, "run", "s.eval.ts"], { cwd });
    const err = readFileSync(join(cwd, "err.txt"), "utf8");

    expect(JSON.parse(readFileSync(join(cwd, "out.json"), "utf8"))).toMatchObject({
      exit_code: 0,
    });
    for (const from of ["a descriptor", "a child", "the console"])
      expect(err).toContain(`from ${from}\n`);
  });
});

describe("output that cannot be written", () => {
  it("a reader of stderr that has left does not stop the run", async () => {
    const cwd = folder({ "s.eval.ts": suiteText({ ids: ["a", "b"] }) });
    const run = startAssay(["run", "s.eval.ts", "--out", "o"], { cwd, closesStderr: true });
    const { exitCode, stdout } = await run.ended;

    expect(stdout).toContain("status    completed");
    expect(exitCode).toBe(0);
  });

  it.each([
    ["stderr", 0],
    ["stdout", 4],
  ] as const)(
    "a full disk under %s does not stop the run, which ends with %d",
    async (name, code) => {
      const cwd = folder({ "s.eval.ts": suiteText({ ids: ["a", "b"] }) });
      const fd = openSync("/dev/full", "w");
      const run = startAssay(["run", "s.eval.ts", "--out", "o"], { cwd, [name]: fd });
      const { exitCode, stdout, stderr } = await run.ended;
      closeSync(fd);

      expect(exitCode).toBe(code);
      expect(statusOf(cwd)).toBe("completed");
      if (name === "stdout") expect(stderr).toContain("could not be written to stdout: ENOSPC");
      else expect(stdout).toContain("status    completed");
      expect(stderr).not.toContain("    at ");
    },
  );
});

it("a working directory that was removed ends with 3", () => {
  const script = 'rmdir "$PWD" && exec "$@"';
  const { status, stderr } = spawnSync(
    "sh",
    ["-c", script, "sh", process.execPath, bin, "runners"],
    { cwd: folder({}), encoding: "utf8" },
  );

  expect(stderr).toContain("error: the working directory does not exist any more");
  expect(stderr).not.toContain("    at ");
  expect(status).toBe(3);
});

it("runs and verifies where the engine makes no functions of text", async () => {
  const cwd = folder({ "s.eval.ts": suiteText({ ids: ["a", "b"] }) });
  const env = { NODE_OPTIONS: "--disallow-code-generation-from-strings" };

  expect((await assay(["run", "s.eval.ts", "--out", "o"], { cwd, env })).exitCode).toBe(0);
  expect(rowsOf(cwd)).toBe(2);
  expect(await assay(["verify", "o"], { cwd, env })).toMatchObject({ exitCode: 0 });
});
