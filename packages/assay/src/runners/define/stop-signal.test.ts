import { expect, it, onTestFinished } from "vitest";

import { StopSignal } from "./stop-signal.ts";

it("any number of calls may listen to the signal of an attempt without a warning of Node", async () => {
  const warnings: Error[] = [];
  const keep = (warning: Error) => void warnings.push(warning);
  process.on("warning", keep);
  onTestFinished(() => void process.off("warning", keep));
  const { signal } = new StopSignal();

  for (let calls = 0; calls < 20; calls += 1) signal.addEventListener("abort", () => {});
  await new Promise(setImmediate);

  expect(warnings).toEqual([]);
});
