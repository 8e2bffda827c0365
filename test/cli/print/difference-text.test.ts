import { expect, it } from "vitest";

import { partUnknown } from "../../../packages/assay/src/cli/print/difference-text.ts";
import { treeDifferences } from "../../../packages/assay/src/engine/diff/differences.ts";

const unknown = (reason: string) => ({ unknown: reason });

it("tells a fact that is whole in one bundle and not known in the other once, not part by part", () => {
  const a = { tool: { version: "1", resolved: { x: 1 } }, host: {}, git: {} };
  const b = { tool: unknown("no probe"), host: { os: "linux" } };

  expect(treeDifferences(a, b)).toEqual([
    { name: "git", a: { value: {} }, b: null },
    { name: "host.os", a: null, b: { value: "linux" } },
    { name: "tool", a: { value: a.tool }, b: { value: b.tool } },
  ]);
});

it("tells the reason once for facts of which one bundle does not know three or more", () => {
  const a = { image: "i", limits: {}, network: "none", prompt: "p", tool: unknown("no probe") };
  const gone = unknown("the trials are imported");
  const b = { image: gone, limits: gone, network: gone, prompt: "q", tool: "t" };

  const { alike, others } = partUnknown(treeDifferences(a, b));

  expect(alike).toEqual(["unknown in B, the trials are imported (3): image, limits, network"]);
  expect(others.map(({ name }) => name)).toEqual(["prompt", "tool"]);
});
