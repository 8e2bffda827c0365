import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { assay, folder, startAssay, suiteText } from "./assay-process.ts";

/** Counts its calls in a file, and does not end on the task "slow" while there is a file "wait". */
const counting = `async ({ id }, { signal }) => {
  const fs = await import("node:fs");
  fs.appendFileSync("calls.txt", id + "\\n");
  while (id === "slow" && !signal.aborted && fs.existsSync("wait")) await new Promise((done) => setTimeout(done, 20));
  return "yes";
}`;

const suite = suiteText({
  ids: ["quick", "slow", "last"],
  agent: counting,
  more: "concurrency: 1,",
});

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));

function calls(cwd: string): string[] {
  return readFileSync(join(cwd, "calls.txt"), "utf8").trim().split("\n");
}

async function killed(signal: NodeJS.Signals) {
  const cwd = folder({ "s.eval.ts": suite, wait: "" });
  const run = startAssay(["run", "s.eval.ts", "--out", "o"], { cwd });
  await run.saw("quick:trial completed");
  run.kill(signal);
  const ended = await run.ended;
  writeFileSync(join(cwd, "calls.txt"), "");
  return { cwd, ended };
}

const resume = ["run", "s.eval.ts", "--resume", "--out", "o"];

describe("assay run --resume", () => {
  it("goes on with a run that was killed, and runs nothing twice", async () => {
    const { cwd } = await killed("SIGKILL");
    expect((await assay(["show", "o"], { cwd })).stderr).toContain("--resume");
    // The agent is the same, and what it waits for is there no more.
    rmSync(join(cwd, "wait"));

    const { exitCode, stderr } = await assay(resume, { cwd });

    expect(stderr).toContain("1 are there already");
    expect(exitCode).toBe(0);
    expect(calls(cwd)).toEqual(["slow", "last"]);
    expect(readJson(cwd, "o/run.json")).toMatchObject({ status: "completed" });
  });

  it("is what a run that was interrupted says at its end, word for word", async () => {
    const { cwd, ended } = await killed("SIGINT");
    const command = /^go on with it by: assay (.+)$/m.exec(ended.stderr)?.[1] ?? "";
    rmSync(join(cwd, "wait"));

    const { exitCode } = await assay(command.split(" "), { cwd });

    expect(exitCode).toBe(0);
    expect(calls(cwd)).toEqual(["slow", "last"]);
  });

  it("refuses a run whose code has changed, names the file, and goes on with --allow-drift", async () => {
    const cwd = folder({ "s.eval.ts": suite });
    await assay(["run", "s.eval.ts", "--out", "o"], { cwd });
    appendFileSync(join(cwd, "s.eval.ts"), "// edited\n");

    const refused = await assay(resume, { cwd });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("code: s.eval.ts changed");
    expect(refused.stderr).toContain("--allow-drift");

    expect((await assay([...resume, "--allow-drift"], { cwd })).exitCode).toBe(0);
  });

  it("needs no parameter and no setting again, and refuses another one", async () => {
    const parametrised = suiteText({ more: "" })
      .replace("defineSuite({", "defineSuite(({ word }) => ({")
      .replace(/\}\);\s*$/, "}));")
      .replace(`async () => "yes"`, "async () => word");
    const cwd = folder({ "s.eval.ts": parametrised });
    const set = ["--set", "target.timeout_s=30"];
    const first = await assay(["run", "s.eval.ts", "--out", "o", "-P", "word=yes", ...set], {
      cwd,
    });
    expect(first.exitCode).toBe(0);

    expect((await assay(resume, { cwd })).exitCode).toBe(0);

    const refused = await assay([...resume, "-P", "word=no"], { cwd });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("parameter word");
  });

  it.each([
    [["run", "s.eval.ts", "--resume"], "--out"],
    [["run", "s.eval.ts", "--resume", "--out", "nowhere"], "no such directory"],
    [["run", "s.eval.ts", "--retry-failed"], "resume"],
    [["run", "s.eval.ts", "--max-cost", "none"], "number of US dollars above 0"],
  ])("tells what is wrong with %j", async (args, text) => {
    const cwd = folder({ "s.eval.ts": suiteText({}) });

    const { exitCode, stderr } = await assay(args, { cwd });

    expect(exitCode).toBe(2);
    expect(stderr).toContain(text);
    expect(existsSync(join(cwd, "nowhere"))).toBe(false);
  });
});
