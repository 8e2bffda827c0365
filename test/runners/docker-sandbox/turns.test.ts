import { expect, it } from "vitest";

import { Turns } from "../../../packages/assay/src/runners/docker-sandbox/turns.ts";

it("so many are done at once, in their order, and one that fails holds up no other", async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  let [running, most] = [0, 0];
  const work = (index: number) =>
    turns.take(async () => {
      begun.push(index);
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (index % 2 === 0) throw new Error(String(index));
      return index;
    });

  const ended = await Promise.allSettled([0, 1, 2, 3, 4].map(work));

  expect(ended.map(({ status }) => status)).toEqual([
    "rejected",
    "fulfilled",
    "rejected",
    "fulfilled",
    "rejected",
  ]);
  expect([begun, most]).toEqual([[0, 1, 2, 3, 4], 2]);
});
