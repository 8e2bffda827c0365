import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../packages/assay/src/platform/clock.ts";
import { createRandom, seededRandom } from "../../packages/assay/src/platform/random.ts";

describe("the system clock", () => {
  it("sleeps no shorter than asked", async () => {
    const startedMs = systemClock.monotonicMs();
    await systemClock.sleep(30);

    // Timers of the host count whole milliseconds.
    expect(systemClock.monotonicMs() - startedMs).toBeGreaterThanOrEqual(29);
  });

  it("a sleep ends with the reason of its signal, at once when that has aborted before", async () => {
    const reason = new Error("enough");
    const controller = new AbortController();
    const sleeping = systemClock.sleep(60_000, controller.signal);
    controller.abort(reason);

    await expect(sleeping).rejects.toBe(reason);
    await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it("a sleep longer than the host's timers take does not end at once", async () => {
    const controller = new AbortController();
    const sleeping = systemClock.sleep(2 ** 31 + 5, controller.signal).then(() => "slept");
    const first = await Promise.race([sleeping, systemClock.sleep(20).then(() => "still asleep")]);
    controller.abort("over");

    expect(first).toBe("still asleep");
    await expect(sleeping).rejects.toBe("over");
  });

  it("hundreds of sleeps on one signal leave no listener and no warning behind", async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning.name);
    process.on("warning", onWarning);
    const { signal } = new AbortController();

    await Promise.all(Array.from({ length: 300 }, () => systemClock.sleep(1, signal)));
    await systemClock.sleep(5);
    process.off("warning", onWarning);

    expect(warnings).toEqual([]);
  });
});

describe("random numbers", () => {
  const take = (seed: string | number, count: number): number[] => {
    const random = seededRandom(seed);
    return Array.from({ length: count }, () => random.next());
  };

  it("the same seed gives the same numbers, another seed others, all in [0, 1)", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (seed, other) => {
        const numbers = take(seed, 20);

        expect(take(seed, 20)).toEqual(numbers);
        if (other !== seed) expect(take(other, 20)).not.toEqual(numbers);
        expect(numbers.every((one) => one >= 0 && one < 1)).toBe(true);
      }),
    );
  });

  it("are spread evenly", () => {
    const counts = new Array<number>(10).fill(0);
    for (const number of take("spread", 100_000)) {
      counts[Math.floor(number * 10)] = (counts[Math.floor(number * 10)] ?? 0) + 1;
    }

    // Five standard deviations of a binomial with n = 100000, p = 0.1.
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(475);
  });

  it("the numbers of a seed never change, for runs are repeated by them", () => {
    expect(take(1, 3)).toMatchInlineSnapshot(`
      [
        0.33469745249210237,
        0.8398352023376228,
        0.5305489389861913,
      ]
    `);
  });

  it("without a seed each generator is another", () => {
    expect(createRandom().next()).not.toBe(createRandom().next());
  });
});
