import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { AsyncQueue, runPool, WorkQueue } from "../../packages/assay/src/support/async-pool.ts";

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of stream) values.push(value);
  return values;
}

const signal = new AbortController().signal;

describe("AsyncQueue", () => {
  it("gives the values in order, whether they came before or while they were waited for", async () => {
    const queue = new AsyncQueue<number>();
    queue.push(1);
    const values = collect(queue);
    await tick();
    queue.push(2);
    queue.push(3);
    queue.close();

    expect(await values).toStrictEqual([1, 2, 3]);
    expect(queue.size).toBe(0);
  });

  it("gives what is there before it fails", async () => {
    const queue = new AsyncQueue<number>();
    const seen: number[] = [];
    queue.push(1);
    queue.fail(new Error("first"));
    queue.fail(new Error("second"));

    const reading = (async () => {
      for await (const value of queue) seen.push(value);
    })();

    await expect(reading).rejects.toThrow("first");
    expect(seen).toStrictEqual([1]);
  });

  it("may fail with undefined", async () => {
    const queue = new AsyncQueue<number>();
    queue.fail(undefined);

    await expect(collect(queue)).rejects.toBeUndefined();
  });

  it("keeps no more than what waits, however much went through", async () => {
    const queue = new AsyncQueue<number>();
    const reader = queue[Symbol.asyncIterator]();
    for (let value = 0; value < 10_000; value += 1) {
      queue.push(value);
      expect(await reader.next()).toStrictEqual({ value, done: false });
    }

    expect(queue.size).toBe(0);
  });
});

describe("runPool", () => {
  it("works on every item once and never on more than allowed at once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 20 }),
        async (concurrency, ticks) => {
          let now = 0;
          let most = 0;
          const results = await collect(
            runPool({
              items: ticks.entries(),
              concurrency,
              signal,
              work: async ([index, count]) => {
                now += 1;
                most = Math.max(most, now);
                for (let left = count; left > 0; left -= 1) await tick();
                now -= 1;
                return index;
              },
            }),
          );

          expect(results.sort((a, b) => a - b)).toStrictEqual([...ticks.keys()]);
          expect(most).toBeLessThanOrEqual(concurrency);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("takes an item only when there is a free worker for it", async () => {
    let taken = 0;
    function* items() {
      for (let item = 0; item < 100; item += 1) {
        taken += 1;
        yield item;
      }
    }
    const results = runPool({
      items: items(),
      concurrency: 3,
      signal,
      work: async (item) => await tick().then(() => item),
    });

    expect(taken).toBe(3);
    await collect(results);
    expect(taken).toBe(100);
  });

  it("takes no new item once it is aborted, and gives what was in work", async () => {
    const controller = new AbortController();
    const begun: number[] = [];
    const results = runPool({
      items: [0, 1, 2, 3, 4],
      concurrency: 2,
      signal: controller.signal,
      work: async (item) => {
        begun.push(item);
        await tick();
        if (item === 1) controller.abort();
        return item;
      },
    });

    const given = await collect(results);

    expect(given.sort()).toStrictEqual(begun.sort());
    expect(begun.length).toBeLessThan(5);
  });

  it("gives what the others had in work before it fails, and begins nothing more", async () => {
    const begun: number[] = [];
    const seen: number[] = [];
    const reading = (async () => {
      const results = runPool({
        items: [0, 1, 2, 3, 4],
        concurrency: 2,
        signal,
        work: async (item) => {
          begun.push(item);
          if (item === 0) throw new Error("first");
          await tick();
          return item;
        },
      });
      for await (const value of results) seen.push(value);
    })();

    await expect(reading).rejects.toThrow("first");
    expect(begun).toStrictEqual([0, 1]);
    expect(seen).toStrictEqual([1]);
  });

  it("runs no further ahead of a slow reader than a bounded number of results", async () => {
    let begun = 0;
    let seen = 0;
    const results = runPool({
      items: Array.from({ length: 1000 }, (_, index) => index),
      concurrency: 3,
      signal,
      work: async (item) => {
        begun += 1;
        return item;
      },
    });

    for await (const _ of results) {
      await tick();
      seen += 1;
      expect(begun - seen).toBeLessThan(80);
    }

    expect(seen).toBe(1000);
  });

  it("fails with what its items throw", async () => {
    function* items(): Generator<number> {
      yield 1;
      throw new Error("no more");
    }

    await expect(
      collect(runPool({ items: items(), concurrency: 1, signal, work: async (item) => item })),
    ).rejects.toThrow("no more");
  });
});

describe("WorkQueue", () => {
  it("runs jobs in the order they were added, never more than allowed at once", async () => {
    const queue = new WorkQueue(2);
    const begun: number[] = [];
    let now = 0;
    let most = 0;
    for (let job = 0; job < 3000; job += 1) {
      queue.add(async () => {
        begun.push(job);
        now += 1;
        most = Math.max(most, now);
        await Promise.resolve();
        now -= 1;
      });
    }
    await queue.idle();

    expect(begun).toStrictEqual([...begun].sort((a, b) => a - b));
    expect(begun).toHaveLength(3000);
    expect(most).toBe(2);
  });

  it("is idle at once when nothing was added, and again after each round", async () => {
    const queue = new WorkQueue(1);
    await queue.idle();
    let done = 0;
    const job = async () => {
      await tick();
      done += 1;
    };

    queue.add(job);
    await Promise.all([queue.idle(), queue.idle()]);
    queue.add(job);
    await queue.idle();

    expect(done).toBe(2);
  });

  it("does what needs no waiting at once, and keeps the order behind what waits", async () => {
    const queue = new WorkQueue(1);
    const done: string[] = [];
    const atOnce = (name: string) => () => {
      done.push(name);
      return null;
    };
    queue.add(atOnce("first"));
    expect(done).toStrictEqual(["first"]);
    queue.add(async () => {
      await tick();
      done.push("second");
    });
    for (let job = 0; job < 3000; job += 1) queue.add(atOnce("later"));
    expect(done).toStrictEqual(["first"]);

    await queue.idle();

    expect(done.slice(0, 3)).toStrictEqual(["first", "second", "later"]);
    expect(done).toHaveLength(3002);
  });

  it("has room again when what waits keeps little enough alive", async () => {
    const queue = new WorkQueue(1);
    const ends: (() => void)[] = [];
    const job = () => new Promise<void>((resolve) => ends.push(resolve));
    for (const sizeBytes of [100, 60, 30, 20]) queue.add(job, sizeBytes);
    expect(queue.waitingBytes).toBe(110);
    let hasRoom = false;
    const waiting = queue.room(50).then(() => {
      hasRoom = true;
    });

    await tick();
    expect(hasRoom).toBe(false);
    ends[0]?.();
    await waiting;

    expect(queue.waitingBytes).toBe(50);
  });

  it("forgets what has not begun when it is cleared, and still ends what has", async () => {
    const queue = new WorkQueue(1);
    const done: string[] = [];
    const job = (name: string) => async () => {
      await tick();
      done.push(name);
    };
    queue.add(job("begun"));
    queue.add(job("waiting"));

    queue.clear();
    await queue.idle();

    expect(done).toStrictEqual(["begun"]);
  });
});
