import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Journal, type JournalRows } from "../../packages/assay/src/bundle/journal.ts";
import type { LineWriter } from "../../packages/assay/src/contracts/files.ts";
import { nodeFileStore } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { FakeClock } from "../../packages/assay/src/testing/fake-clock.ts";
import { folder } from "./import-kit.ts";

interface Disk {
  /** `append trials 2`, `sync trials`, `close trials`, in the order in which they ended. */
  readonly log: string[];
  /** Lines per stream, as far as they are written. */
  readonly lines: Record<string, string[]>;
  /** Lines per stream that are synced. */
  readonly synced: Record<string, number>;
  /** Thrown by the next operation that is called so. */
  fail: { readonly on: string; readonly error: Error } | null;
  /** Awaited by every append before it writes. */
  gate: Promise<void>;
}

function fakeDisk() {
  const disk: Disk = { log: [], lines: {}, synced: {}, fail: null, gate: Promise.resolve() };
  const openAppend = async (path: string): Promise<LineWriter> => {
    const stream = basename(path, ".jsonl");
    disk.lines[stream] = [];
    disk.synced[stream] = 0;
    const operation = async (name: string, work: () => void, more = "") => {
      await disk.gate;
      if (disk.fail?.on === `${name} ${stream}`) throw disk.fail.error;
      work();
      disk.log.push(`${name} ${stream}${more}`);
    };
    const lines = disk.lines[stream];
    return {
      append: (given) => {
        const text = given.toString();
        if (!text.endsWith("\n")) throw new Error("a line was torn");
        const added = text.slice(0, -1).split("\n");
        return operation("append", () => lines.push(...added), ` ${added.length}`);
      },
      sync: () => operation("sync", () => (disk.synced[stream] = lines.length)),
      close: () => operation("close", () => {}),
    };
  };
  return { disk, files: { ...nodeFileStore, openAppend } };
}

async function openFake() {
  const { disk, files } = fakeDisk();
  const clock = new FakeClock();
  const journal = await Journal.open("/run", { files, clock });
  return { disk, clock, journal };
}

/** What a promise has come to by now. */
function watch(promise: Promise<unknown>): {
  state: "pending" | "done" | "failed";
  reason?: unknown;
} {
  const seen: ReturnType<typeof watch> = { state: "pending" };
  promise.then(
    () => Object.assign(seen, { state: "done" }),
    (reason) => Object.assign(seen, { state: "failed", reason }),
  );
  return seen;
}

const mebibyte = 1024 * 1024;

describe("a group of rows", () => {
  it("reaches the disk file by file, each synced before the next, and is done when all are", async () => {
    const { disk, clock, journal } = await openFake();
    const scores = watch(journal.append({ scores: ["s1"] }));
    const trial = watch(
      journal.append({ attempts: ["a1"], trials: ["t1"], evidence: ["e1", "e2"] }),
    );

    await clock.advance(49);
    expect([disk.log, scores.state, trial.state]).toEqual([[], "pending", "pending"]);
    await clock.advance(1);

    expect(disk.log).toEqual([
      "append evidence 2",
      "sync evidence",
      "append attempts 1",
      "sync attempts",
      "append trials 1",
      "sync trials",
      "append scores 1",
      "sync scores",
    ]);
    expect([scores.state, trial.state]).toEqual(["done", "done"]);
  });

  it("is not reported while one of its files waits for the disk", async () => {
    const { disk, clock, journal } = await openFake();
    let open = () => {};
    disk.gate = new Promise((resolve) => {
      open = resolve;
    });
    const trial = watch(journal.append({ trials: ["t1"] }));

    await clock.advance(1000);
    expect(trial.state).toBe("pending");
    open();
    await clock.advance(0);

    expect(trial.state).toBe("done");
    expect(disk.synced["trials"]).toBe(1);
  });

  it("goes to the disk at once when it holds a mebibyte", async () => {
    const { disk, clock, journal } = await openFake();
    const first = watch(journal.append({ trials: ["x".repeat(mebibyte / 2)] }));
    await clock.advance(10);
    expect(first.state).toBe("pending");

    const second = watch(journal.append({ trials: ["y".repeat(mebibyte / 2)] }));
    await clock.advance(0);

    expect([first.state, second.state]).toEqual(["done", "done"]);
    expect(disk.log).toEqual(["append trials 1", "append trials 1", "sync trials"]);
  });

  it("waits for the one before it, and takes what comes meanwhile", async () => {
    const { disk, clock, journal } = await openFake();
    let open = () => {};
    disk.gate = new Promise((resolve) => {
      open = resolve;
    });
    void journal.append({ trials: ["t1"] });
    await clock.advance(50);
    void journal.append({ trials: ["t2"] });
    await clock.advance(50);
    void journal.append({ trials: ["t3"] });
    await clock.advance(500);
    expect(disk.log).toEqual([]);
    open();
    await clock.advance(0);

    expect(disk.log).toEqual(["append trials 1", "sync trials", "append trials 2", "sync trials"]);
    expect(disk.lines["trials"]).toEqual(["t1", "t2", "t3"]);
  });

  it("of many small rows never holds more than it may", async () => {
    const { disk, clock, journal } = await openFake();
    let most = 0;
    let unsynced = 0;
    for (let index = 0; index < 5000; index += 1) {
      const row = "x".repeat(999);
      unsynced += 1000;
      most = Math.max(most, unsynced);
      void journal.append({ trials: [row] }).then(() => {
        unsynced -= 1000;
      });
      const room = watch(journal.room());
      while (room.state === "pending") await clock.advance(50);
    }

    expect(most).toBeLessThanOrEqual(mebibyte + 1000);
    await journal.close();
    expect(disk.lines["trials"]).toHaveLength(5000);
  });
});

describe("closing", () => {
  it("writes what is left without waiting, closes every file, and takes nothing more", async () => {
    const { disk, journal } = await openFake();
    const left = watch(journal.append({ trials: ["t1"], scores: ["s1"] }));

    await journal.close();

    expect(left.state).toBe("done");
    expect(disk.synced).toMatchObject({ trials: 1, scores: 1 });
    expect(disk.log.filter((entry) => entry.startsWith("close"))).toHaveLength(4);
    await expect(journal.append({ trials: ["t2"] })).rejects.toMatchObject({
      code: "ASSAY_STORE_FAILED",
    });
    await journal.close();
    expect(disk.lines["trials"]).toEqual(["t1"]);
  });

  it("leaves an unused journal as empty files", async () => {
    const dir = folder();
    const journal = await Journal.open(dir, { files: nodeFileStore, clock: new FakeClock() });

    await journal.close();

    expect(readFileSync(join(dir, "trials.jsonl"), "utf8")).toBe("");
  });
});

describe("a disk that fails", () => {
  const full = new Error("no space left on device");

  it.each(["append trials", "sync trials", "append scores", "sync attempts"])(
    "at %s fails all that waits and all that comes later, with its own error",
    async (on) => {
      const { disk, clock, journal } = await openFake();
      disk.fail = { on, error: full };
      const waiting = [
        watch(journal.append({ trials: ["t1"], attempts: ["a1"] })),
        watch(journal.append({ scores: ["s1"] })),
      ];
      await clock.advance(50);
      disk.fail = null;
      const later = watch(journal.append({ trials: ["t2"] }));
      await clock.advance(50);

      for (const seen of [...waiting, later])
        expect(seen).toEqual({ state: "failed", reason: full });
      expect(disk.lines["trials"]).not.toContain("t2");
      await journal.room();
      await expect(journal.close()).rejects.toBe(full);
      expect(disk.log.filter((entry) => entry.startsWith("close"))).toHaveLength(4);
    },
  );

  it("fails the group that was waiting for the one that failed", async () => {
    const { disk, clock, journal } = await openFake();
    let open = () => {};
    disk.gate = new Promise((resolve) => {
      open = resolve;
    });
    disk.fail = { on: "append trials", error: full };
    const first = watch(journal.append({ trials: ["t1"] }));
    await clock.advance(50);
    const second = watch(journal.append({ trials: ["t2"] }));
    await clock.advance(50);
    open();
    await clock.advance(0);

    expect([first.state, second.state]).toEqual(["failed", "failed"]);
    expect(disk.lines["trials"]).toEqual([]);
  });

  it("that cannot open all files closes those it opened", async () => {
    const { disk, files } = fakeDisk();
    const { openAppend } = files;
    const opening = Journal.open("/run", {
      files: {
        ...files,
        openAppend: (path) =>
          path.endsWith("scores.jsonl") ? Promise.reject(full) : openAppend(path),
      },
      clock: new FakeClock(),
    });

    await expect(opening).rejects.toBe(full);
    expect(disk.log).toEqual(["close evidence", "close attempts", "close trials"]);
  });
});

describe("whatever is appended", () => {
  const rows = fc.array(fc.stringMatching(/^[a-z0-9 é😀]{0,20}$/u), { maxLength: 3 });
  const append = fc.record({ trials: rows, scores: rows, evidence: rows, attempts: rows });
  const step = fc.oneof(
    append.map((value) => ({ append: value })),
    fc.nat({ max: 120 }).map((advance) => ({ advance })),
  );

  it("each file holds its rows in the order of appending, and nothing is done before it is synced", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { disk, clock, journal } = await openFake();
        const expected: Required<Record<keyof JournalRows, string[]>> = {
          evidence: [],
          trials: [],
          scores: [],
          attempts: [],
        };
        const early: string[] = [];
        for (const one of steps) {
          if ("advance" in one) {
            await clock.advance(one.advance);
            continue;
          }
          const mine = one.append;
          for (const stream of ["evidence", "trials", "scores", "attempts"] as const)
            expected[stream].push(...mine[stream]);
          const counts = Object.entries(expected).map(
            ([stream, all]) => [stream, all.length] as const,
          );
          void journal.append(mine).then(() => {
            for (const [stream, count] of counts) {
              if (
                mine[stream as keyof typeof mine].length > 0 &&
                (disk.synced[stream] ?? 0) < count
              )
                early.push(stream);
            }
          });
        }
        await journal.close();

        expect(disk.lines).toEqual(expected);
        expect(early).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("real files hold whole lines only, though appends run at once", async () => {
    const dir = folder();
    const clock = {
      ...new FakeClock(),
      now: () => new Date(),
      monotonicMs: () => 0,
      sleep: () => Promise.resolve(),
    };
    const journal = await Journal.open(dir, { files: nodeFileStore, clock });
    const rowOf = (index: number) => JSON.stringify({ index, text: "é".repeat(index % 400) });

    await Promise.all(
      Array.from({ length: 500 }, (_item, index) =>
        journal.append({ trials: [rowOf(index)], scores: [rowOf(index), rowOf(index)] }),
      ),
    );
    await journal.close();

    const lines = (name: string) => readFileSync(join(dir, name), "utf8").split("\n").slice(0, -1);
    const all = Array.from({ length: 500 }, (_item, index) => rowOf(index));
    expect(lines("trials.jsonl")).toEqual(all);
    expect(lines("scores.jsonl")).toEqual(all.flatMap((row) => [row, row]));
  });
});
