import { describe, expect, it } from "vitest";

import { trialOrderOf } from "../../packages/assay/src/bundle/trial-order.ts";
import { trialIdOf } from "../../packages/assay/src/support/ids.ts";

async function* ledger(...rows: [taskId: string, trialId: string, trialIndex: number][]) {
  for (const [taskId, trialId, trialIndex] of rows) yield { taskId, trialId, trialIndex };
}

describe("the order of trials in the ledger", () => {
  it.each([
    ["made from task and index", trialIdOf("t", "callable", 0), 0],
    ["made from task and a later index", trialIdOf("t", "callable", 12), 12],
    ["that a backend made", "rollout-77", 3],
    ["that a backend made and that looks like another index", "t:gym:7", 0],
    ["with an index too large to be one", "t:gym:99999999999", 1],
  ])("is known for an id %s", async (_case, trialId, index) => {
    const order = await trialOrderOf(ledger(["t", trialId, index], ["t", "other", 5]));

    expect(order("t", trialId)).toBe(index);
  });

  it("keeps equal ids of different tasks apart", async () => {
    const order = await trialOrderOf(ledger(["a", "x", 1], ["b", "x", 2]));

    expect([order("a", "x"), order("b", "x"), order("c", "x")]).toEqual([1, 2, null]);
  });

  it("is not told by the number that a backend puts into its ids", async () => {
    const order = await trialOrderOf(ledger(["a", "a:0", 0], ["a", "a:1", 1], ["b", "b:0", 0]));

    expect([order("a", "a:0"), order("a", "a:1"), order("b", "b:0")]).toEqual([0, 1, 0]);
    expect([order("b", "b:1"), order("b", "b:2")]).toEqual([null, null]);
  });

  it("is not known at all without a ledger", async () => {
    const order = await trialOrderOf(ledger());

    expect(order("t", "t:callable:3")).toBeNull();
  });
});
