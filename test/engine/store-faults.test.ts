import { existsSync, readdirSync } from "node:fs";
import { AssayError } from "assay";
import { callable } from "assay/runners";
import { describe, expect, it } from "vitest";
import type { FileStore } from "../../packages/assay/src/contracts/files.ts";
import { nodeFileStore } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { constant, eager, refusal, runOn, storedDocument, storedRows, tasks } from "./run-kit.ts";

function noSpace(path: string): AssayError {
  return new AssayError("ASSAY_STORE_FAILED", `${path}: no space left on device`);
}

/** A disk on which the rows of one file can be written so many times, and then no more. */
function fullAfter(groups: number, name: string): FileStore {
  let left = groups;
  return {
    ...nodeFileStore,
    async openAppend(path) {
      const writer = await nodeFileStore.openAppend(path);
      if (!path.endsWith(name)) return writer;
      return {
        append: async (text) => {
          left -= 1;
          if (left < 0) throw noSpace(path);
          await writer.append(text);
        },
        sync: () => writer.sync(),
        close: () => writer.close(),
      };
    },
  };
}

function readOnly(name: string): FileStore {
  return {
    ...nodeFileStore,
    async writeAtomic(path, data) {
      if (path.endsWith(name)) throw noSpace(path);
      await nodeFileStore.writeAtomic(path, data);
    },
  };
}

/** Answers the first tasks at once; the others wait for their signal. */
const agent = callable({
  name: "agent",
  agent: ({ id }, { signal }) =>
    Number(id.slice(1)) < 3
      ? "yes"
      : new Promise<string>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
});

describe("a run directory that cannot be written any more", () => {
  it.each(["trials.jsonl", "scores.jsonl", "attempts.jsonl"])(
    "in %s ends the run at once, with an error that says so",
    async (name) => {
      const { running, workDir, events, leftovers } = await runOn(
        { files: fullAfter(0, name) },
        agent,
        { tasks: tasks(20), config: { concurrency: 5 } },
      );
      const refused = await refusal(() => running);

      expect(refused).toMatchObject({ code: "ASSAY_STORE_FAILED", exitCode: 4 });
      expect(refused.message).toContain("no space left");
      expect(storedDocument(workDir, "run.json")["status"]).toBe("running");
      expect(events.filter(({ type }) => type === "trial-end")).toEqual([]);
      expect(leftovers()).toEqual([]);
    },
  );

  it("keeps what was told to be done", async () => {
    const { running, workDir, events } = await runOn(
      { files: fullAfter(1, "trials.jsonl") },
      callable({
        name: "agent",
        agent: async ({ id }) => {
          // One group of rows after the other.
          if (id !== "t0") await told(1);
          return "yes";
        },
      }),
      { tasks: tasks(3), config: { concurrency: 1 } },
    );
    async function told(count: number): Promise<void> {
      while (events.filter(({ type }) => type === "trial-end").length < count)
        await new Promise((resolve) => setImmediate(resolve));
    }

    expect(await refusal(() => running)).toMatchObject({ code: "ASSAY_STORE_FAILED" });
    const done = events.flatMap((event) => (event.type === "trial-end" ? [event.trialId] : []));
    expect(done).toEqual(["t0:trial"]);
    expect(storedRows(workDir, "trials.jsonl").map(({ id }) => id)).toEqual(done);
  });

  it.each(["plan.json", "tasks.jsonl"])(
    "before the first trial (%s) runs nothing",
    async (name) => {
      let hasRun = false;
      const { running, leftovers } = await runOn(
        { files: readOnly(name) },
        eager({
          runTasks: async function* () {
            hasRun = true;
            yield* [];
          },
        }),
      );

      expect(await refusal(() => running)).toMatchObject({
        code: "ASSAY_OUTPUT_UNUSABLE",
        exitCode: 2,
      });
      expect(hasRun).toBe(false);
      expect(leftovers()).toEqual([]);
    },
  );

  it.each(["summary.json", "metadata.json", "provenance.json"])(
    "at its end (%s) keeps the rows, and does not say that it has ended",
    async (name) => {
      const { running, workDir, leftovers } = await runOn({ files: readOnly(name) }, eager(), {
        metrics: [constant()],
      });

      expect(await refusal(() => running)).toMatchObject({ code: "ASSAY_STORE_FAILED" });
      expect(storedRows(workDir, "trials.jsonl")).toHaveLength(1);
      expect(storedRows(workDir, "scores.jsonl")).toHaveLength(1);
      expect(storedDocument(workDir, "run.json")["status"]).toBe("running");
      expect(leftovers()).toEqual([]);
    },
  );
});

describe("scratch that cannot be removed early", () => {
  it("costs a warning, and goes at the end", async () => {
    const files: FileStore = {
      ...nodeFileStore,
      remove: async (path) => {
        throw noSpace(path);
      },
    };
    const { running, events, leftovers } = await runOn(
      { files },
      callable({
        name: "agent",
        agent: (_task, { workspace }) => (existsSync(workspace) ? "yes" : "no"),
      }),
    );
    const result = await running;

    expect(result).toMatchObject({ status: "completed", exitCode: 0 });
    expect(events).toContainEqual({
      type: "warning",
      message: expect.stringContaining("is left until the end of the run"),
    });
    expect(leftovers()).toEqual([]);
    expect(readdirSync(result.workDir)).toContain("evidence");
  });
});
