import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";

import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import { makeTree } from "../../../../../test/support/trees.ts";
import type { JsonObject } from "../../support/json.ts";
import { commandVerifier } from "./index.ts";

type Settings = Parameters<typeof commandVerifier>[0];

const suite = makeTree({ "reward.sh": "echo 0.75 > reward.txt" });
afterAll(() => suite.remove());
const context = metricContextOf({ baseDir: suite.root });

type Left = Readonly<Record<string, { readonly text: string; readonly mode: number }>>;

/** The score of an agent that left these files. */
async function verifyLeft(files: Left, settings: Settings) {
  const texts = Object.entries(files).map(([path, { text }]) => [path, text] as const);
  const tree = makeTree({ keep: "", "sub/keep": "", ...Object.fromEntries(texts) });
  onTestFinished(() => tree.remove());
  for (const [path, { mode }] of Object.entries(files)) chmodSync(join(tree.root, path), mode);
  return await commandVerifier(settings).compute(metricInput({ finalState: tree.root }), context);
}

const _shell = (script: string): [string, ...string[]] => ["sh", "-c", script];

describe("what the agent left", () => {
  const program = (text: string, mode = 0o755) => ({ prog: { text, mode } });
  const left: Readonly<Record<string, readonly [Left, Partial<Settings>, string]>> = {
    "no program": [{}, {}, '"./prog" does not exist'],
    "no program where it is run": [{}, { cwd: "sub" }, '"./prog" does not exist'],
    "a program that may not be run": [program("#!/bin/sh", 0o644), {}, "EACCES"],
    "a program without its interpreter": [program("#!/no/such"), {}, "its interpreter"],
    "a folder in place of the program": [{ "prog/x": { text: "", mode: 0o644 } }, {}, "EACCES"],
    "a program that never ends": [program("#!/bin/sh\nsleep 30"), { timeoutS: 0.3 }, "time limit"],
    "a reward that is no number": [
      program("#!/bin/sh\necho garbage > reward.txt"),
      {},
      'reward.txt holds "garbage", not a number',
    ],
    "a reward that is no JSON": [
      program("#!/bin/sh\necho '{oops' > reward.json; echo 1 > reward.txt"),
      {},
      'reward.json holds "{oops", which is not JSON',
    ],
    "a reward of another name": [
      program("#!/bin/sh\necho '{\"style\": 1}' > reward.json"),
      {},
      'reward.json gives no usable "reward" (it has style)',
    ],
    "a reward that is too large": [
      program("#!/bin/sh\nhead -c 2000000 /dev/zero > reward.txt"),
      {},
      "reward.txt is no regular file",
    ],
    "a reward that is a folder": [
      program("#!/bin/sh\nrm reward.json; mkdir reward.json"),
      {},
      "reward.json is no regular file",
    ],
    "a reward that is a link": [
      program("#!/bin/sh\nln -sf one reward.txt; echo 1 > one"),
      {},
      "reward.txt is no regular file",
    ],
  };

  it.each(Object.entries(left))(
    "(%s) gives 0 with a warning, and stays in the average",
    async (_what, [files, settings, problem]) => {
      const given = { command: ["./prog"], threshold: 0, ...settings } as Settings;
      const { outputs, diagnostics } = await verifyLeft(files, given);

      expect(outputs).toStrictEqual({ reward: 0, passed: false });
      expect(diagnostics).toMatchObject([
        { severity: "warning", message: expect.stringContaining(problem) as string },
      ]);
    },
  );

  it.each<[string, JsonObject, string]>([
    ["nothing at all", {}, 'there is no evidence "final_state"; there is none'],
    ["other evidence", { log: { kind: "logs", ref: "x" } }, "there is: log"],
    ["a note in its place", { final_state: { kind: "note", data: 1 } }, 'of kind "note"'],
    [
      "the name of a folder that is gone",
      { final_state: { kind: "filesystem", ref: "/no/such/folder" } },
      "is not there",
    ],
  ])("(%s) gives 0 with a warning, and stays in the average", async (_what, evidence, problem) => {
    const metric = commandVerifier({ command: ["true"] });
    const { outputs, diagnostics } = await metric.compute(metricInput({ evidence }), context);

    expect(outputs).toStrictEqual({ reward: 0 });
    expect(diagnostics).toMatchObject([
      { severity: "warning", message: expect.stringContaining(problem) as string },
    ]);
  });

  it.each<[string, Settings, string]>([
    ["a program that is not on PATH", { command: ["no-such-verifier"] }, "was not found on PATH"],
    ["an absolute path", { command: ["/no/such/verifier"] }, "does not exist"],
    ["a path out of the copy", { command: ["../verifier"] }, "does not exist"],
    [
      "a held-out file that may not be run",
      { command: ["./check.sh"], files: { "check.sh": "exit 0" } },
      "EACCES",
    ],
    [
      "the same from another folder",
      { command: ["../check.sh"], cwd: "sub", files: { "./check.sh": "exit 0" } },
      "EACCES",
    ],
    ["an argument that no program can have", { command: ["./prog", "a\0b"] }, "null bytes"],
  ])(
    "has no part in %s: the metric fails, and charges nobody",
    async (_what, settings, problem) => {
      await expect(verifyLeft({}, settings)).rejects.toMatchObject({
        code: "ASSAY_METRIC_FAILED",
        message: expect.stringContaining(problem) as string,
      });
    },
  );
});
