import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { callable } from "assay/runners";
import { describe, expect, it } from "vitest";

import { bench, constant, refusal, storedDocument, tasks } from "./run-kit.ts";

/** Runs an agent that does `deed` to the run directory when it works on the second task. */
async function runTampering(deed: (workDir: string) => void) {
  const here = bench();
  const target = callable({
    name: "agent",
    agent: (task, { log }) => {
      if (task.id === "t1") deed(here.workDir);
      log.info("seen");
      return "yes";
    },
  });
  const request = {
    tasks: tasks(3),
    metrics: [constant()],
    target,
    config: { workDir: here.workDir, concurrency: 1, onEvent: here.onEvent },
  };
  const refused = await refusal(() => here.evaluator.run(request));
  return { ...here, request, refused };
}

describe("an agent that knows the run directory", () => {
  it.each(["trials.jsonl", "scores.jsonl", "attempts.jsonl", "evidence.jsonl"])(
    "cannot have a row of its own in %s sealed",
    async (file) => {
      const { refused, workDir } = await runTampering((dir) =>
        appendFileSync(join(dir, file), '{"id":"forged"}\n'),
      );

      expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exitCode: 5 });
      expect(refused.message).toContain(file);
      expect(storedDocument(workDir, "run.json")["status"]).toBe("running");
    },
  );

  it.each(["plan.json", "tasks.jsonl"])("cannot have another %s sealed", async (file) => {
    const { refused } = await runTampering((dir) => appendFileSync(join(dir, file), "\n"));

    expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exitCode: 5 });
    expect(refused.message).toContain(file);
  });

  it("cannot have what it altered sealed by resuming the run", async () => {
    const { evaluator, request } = await runTampering((dir) =>
      appendFileSync(join(dir, "scores.jsonl"), '{"id":"forged"}\n'),
    );

    const config = { ...request.config, resume: true };
    expect(await refusal(() => evaluator.run({ ...request, config }))).toMatchObject({
      code: "ASSAY_BUNDLE_DAMAGED",
      exitCode: 5,
      message: expect.stringContaining("scores.jsonl"),
    });
  });

  it("cannot have a journal sealed that it put in the place of ours", async () => {
    const { refused } = await runTampering((dir) => {
      renameSync(join(dir, "scores.jsonl"), join(dir, "old.jsonl"));
      writeFileSync(join(dir, "scores.jsonl"), "");
    });

    expect(refused).toMatchObject({
      ...{ code: "ASSAY_STORE_FAILED", exitCode: 4 },
      message: expect.stringContaining("scores.jsonl"),
    });
  });

  it("cannot lead evidence elsewhere with a link in the bundle", async () => {
    const { refused, root } = await runTampering((dir) => {
      const elsewhere = join(dir, "..", "elsewhere");
      mkdirSync(elsewhere);
      rmSync(join(dir, "evidence"), { recursive: true, force: true });
      symlinkSync(elsewhere, join(dir, "evidence"));
    });

    expect(refused).toMatchObject({ code: "ASSAY_STORE_FAILED", exitCode: 4 });
    expect(readdirSync(join(root, "elsewhere"))).toEqual([]);
  });

  it("cannot make a run that was paid for end as if nothing was run", async () => {
    const { refused } = await runTampering((dir) => rmSync(dir, { recursive: true }));

    expect(refused.exitCode).toBeGreaterThanOrEqual(4);
  });
});

describe("two runs that begin in one directory at the same moment", () => {
  it("do not both write there", async () => {
    for (let round = 0; round < 10; round += 1) {
      const here = bench();
      const target = callable({ name: "agent", agent: () => "yes" });
      const request = {
        tasks: tasks(2),
        metrics: [constant()],
        target,
        config: { workDir: here.workDir },
      };

      const ends = await Promise.allSettled([
        here.evaluator.run(request),
        here.evaluator.run(request),
      ]);

      const [lost] = ends.filter(({ status }) => status === "rejected");
      expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect((lost as PromiseRejectedResult).reason).toMatchObject({
        code: expect.stringMatching(/^ASSAY_(RUN_CLAIMED|OUTPUT_EXISTS)$/),
      });
    }
  });
});
