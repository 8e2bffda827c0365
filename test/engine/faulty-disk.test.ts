import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AssayError, exitCodeOf, type RunEvent, readBundle } from "assay";
import { metricFromConfig } from "assay/metrics";
import { callable } from "assay/runners";
import { describe, expect, it } from "vitest";
import type { FileStore } from "../../packages/assay/src/contracts/files.ts";
import { runEvaluation } from "../../packages/assay/src/engine/evaluate.ts";
import { nodeEngine } from "../../packages/assay/src/engine/node-engine.ts";
import { resolveSuite } from "../../packages/assay/src/engine/suite/resolve-suite.ts";
import { nodeFileStore } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { type DiskFault, faultyStore } from "./faulty-store.ts";
import { constant, folder, refusal, storedRows, tasks } from "./run-kit.ts";

/** A run of three trials with evidence, on a disk that is given with each start. */
async function diskRun() {
  const root = folder();
  const workDir = join(root, "run");
  const scratchParent = join(root, "scratch");
  const platform = await nodeEngine({ env: {}, cwd: root, scratchParent });
  const executed: string[] = [];
  const reported: string[] = [];
  const target = callable({
    name: "agent",
    agent: ({ id }, { workspace }) => {
      executed.push(id);
      mkdirSync(join(workspace, "out"));
      writeFileSync(join(workspace, "out/file.txt"), id);
      return "yes";
    },
  });
  const start = async (files: FileStore, more: { readonly resume?: boolean } = {}) => {
    const suite = await resolveSuite(
      { name: "suite", tasks: tasks(3), metrics: [constant()], target },
      { baseName: "suite", baseDir: root, files: platform.files, metricFromConfig },
    );
    const onEvent = (event: RunEvent) => {
      if (event.type === "trial-end") reported.push(event.taskId);
    };
    const options = { workDir, concurrency: 1, onEvent, ...more };
    return await runEvaluation({ suite, options, platform: { ...platform, files } });
  };
  const leftovers = () => (existsSync(scratchParent) ? readdirSync(scratchParent) : []);
  return { workDir, executed, reported, start, leftovers };
}

type DiskRun = Awaited<ReturnType<typeof diskRun>>;

/** Starts the run with the fault, and goes on with it when the disk is well again; answers how it ended at first. */
async function throughFault(run: DiskRun, fault: Omit<DiskFault, "below">) {
  const { files, calls } = faultyStore({ ...fault, below: run.workDir });
  let exitCode: number;
  try {
    exitCode = (await run.start(files)).exitCode;
  } catch (thrown) {
    exitCode = exitCodeOf((thrown as AssayError).fault);
  }
  const end = { exitCode, where: calls[fault.at - 1] ?? null, executions: run.executed.length };
  expect(run.leftovers(), `${fault.at}: ${end.where}`).toEqual([]);
  return end;
}

async function expectNothingLost(run: DiskRun, where: string | null): Promise<void> {
  const done = [...run.reported];
  run.executed.length = 0;
  const hasPlan = existsSync(join(run.workDir, "plan.json"));
  const hasBegun = existsSync(join(run.workDir, "run.json"));
  if (hasBegun && !hasPlan) rmSync(run.workDir, { recursive: true, force: true });

  const result = await run.start(nodeFileStore, { resume: hasPlan }).catch((cause: unknown) => {
    throw new Error(`after a fault at ${where}, the run cannot be resumed: ${cause}`, { cause });
  });

  expect(result, where ?? "").toMatchObject({ status: "completed", exitCode: 0 });
  expect(
    run.executed.filter((id) => done.includes(id)),
    where ?? "",
  ).toEqual([]);
  expect(storedRows(run.workDir, "trials.jsonl"), where ?? "").toHaveLength(3);
  await (await readBundle(run.workDir)).assertUnaltered({ withEvidence: true });
  expect(
    readdirSync(run.workDir).filter((name) => !isOfBundle(name)),
    where ?? "",
  ).toEqual([]);
}

function isOfBundle(name: string): boolean {
  return name === "evidence" || (/^[a-z]+\.jsonl?$/.test(name) && name !== "claim.json");
}

/** Each takes every third of the calls, beginning with another one. */
const faults = [
  { systemCode: "ENOSPC", isLasting: true, first: 1 },
  { systemCode: "EIO", isLasting: false, first: 2 },
  { systemCode: "EROFS", isLasting: true, first: 3 },
  { systemCode: "ENOENT", isLasting: false, first: 1 },
];
const every = 3;

describe("a disk that fails at any write of a run", () => {
  it.each(faults)(
    "($systemCode, for good: $isLasting) ends it cleanly, loses nothing, and it can be resumed",
    async ({ first, ...fault }) => {
      const calls = new Set<string>();
      for (let at = first; ; at += every) {
        const run = await diskRun();
        const { exitCode, where, executions } = await throughFault(run, { ...fault, at });
        if (where === null) break;
        calls.add(where);
        const isBefore = executions === 0;
        expect(isBefore ? [2, 4] : [0, 4], `${at}: ${where}`).toContain(exitCode);
        await expectNothingLost(run, `${at}: ${where}`);
      }
      expect(calls.size).toBeGreaterThan(10);
    },
    120_000,
  );

  it.each([1, 2, 3])(
    "from write %d of a resume on ends it with 2 before anything is run, and says to resume it",
    async (at) => {
      const run = await diskRun();
      await throughFault(run, { systemCode: "EIO", isLasting: true, at: 30 });
      run.executed.length = 0;
      const { files } = faultyStore({
        systemCode: "EROFS",
        isLasting: true,
        at,
        below: run.workDir,
      });

      const refused = await refusal(() => run.start(files, { resume: true }));

      expect(refused).toMatchObject({
        code: "ASSAY_OUTPUT_UNUSABLE",
        exitCode: 2,
        error: { remedy: expect.stringContaining("then resume") },
      });
      expect(run.executed).toEqual([]);
      await expectNothingLost(run, "a resume that could not begin");
    },
  );
});
