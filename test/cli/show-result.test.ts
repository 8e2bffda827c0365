import { expect, it } from "vitest";

import { printResult, showResult } from "../../packages/assay/src/cli/show-result.ts";
import type { EvalResult, FormatSummaryOptions } from "../../packages/assay/src/entries/index.ts";
import { FakeIo } from "./fake-io.ts";

/** The options that a result of so many scores is asked to format itself with. */
async function askedOf(terminal: { isTTY: boolean; columns: number }, scoreCount = 1) {
  const io = new FakeIo();
  const asked: FormatSummaryOptions[] = [];
  const result = {
    summary: { scoreCount },
    metadata: {
      labels: {},
      target: null,
      startedAt: "",
      finishedAt: "",
      durationSec: 0,
      sdkVersion: null,
    },
    status: "completed",
    statusCause: null,
    workDir: "/runs/one",
    bundleDigest: "sha256:1",
    formatSummary: async (options: FormatSummaryOptions) => {
      asked.push(options);
      return "summary\n";
    },
  } as unknown as EvalResult;
  const stdout = { ...io.stdout, ...terminal };
  await printResult({ io: { ...io, stdout }, argv: [], exitCode: 0 } as never, result, {
    provenance: null,
    lineage: [],
  });
  return { asked: asked[0], out: io.out };
}

it.each([
  ["a terminal", { isTTY: true, columns: 100 }, 100],
  ["a wide terminal", { isTTY: true, columns: 300 }, 120],
  ["a narrow terminal", { isTTY: true, columns: 20 }, 60],
  ["a terminal that gives no width", { isTTY: true, columns: 0 }, 80],
  ["a file", { isTTY: false, columns: 100 }, 80],
])("writes for %s lines of the width that suits it", async (_case, terminal, width) => {
  expect((await askedOf(terminal)).asked?.width).toBe(width);
});

it("shows scores one by one only where they are few", async () => {
  const terminal = { isTTY: false, columns: 80 };

  expect((await askedOf(terminal, 10)).asked?.hasPreview).toBe(true);
  expect((await askedOf(terminal, 11)).asked?.hasPreview).toBe(false);
});

it("ends with the digest", async () => {
  expect((await askedOf({ isTTY: false, columns: 80 })).out).toMatch(
    /^summary\n\n.*\n\nstatus.*\nsha256:1\n$/s,
  );
});

it("says why the exit code is 4 after everything else", async () => {
  const io = new FakeIo();
  const order: string[] = [];
  const stdout = { ...io.stdout, write: () => void order.push("result") };
  const stderr = { ...io.stderr, write: (text: string) => void order.push(text) };
  const result = { status: "completed", toJSON: () => ({}) } as unknown as EvalResult;

  const context = { io: { ...io, stdout, stderr }, argv: [], exitCode: 4 } as never;
  await showResult(context, result, { json: true });

  expect(order).toEqual(["result", "exit code 4: some trials or scores could not be produced\n"]);
});
