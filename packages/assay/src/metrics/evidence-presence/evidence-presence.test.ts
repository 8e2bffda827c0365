import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import { makeTree } from "../../../../../test/support/trees.ts";
import type { JsonObject } from "../../support/json.ts";
import { metricConformance } from "../../testing/metric-conformance.ts";
import { evidencePresence } from "./index.ts";

const tree = makeTree({
  "full/answer.txt": "5",
  "gone/answer.txt": "5",
  "file.txt": "x",
  "empty/x": "",
});
rmSync(join(tree.root, "empty/x"));
afterAll(() => tree.remove());

const at = (path: string): JsonObject => ({
  final_state: { kind: "filesystem", ref: join(tree.root, path), format: "dir" },
});

async function presence(
  evidence: JsonObject,
  settings: Parameters<typeof evidencePresence>[0] = {},
) {
  const { outputs, diagnostics } = await evidencePresence(settings).compute(
    metricInput({ evidence }),
    metricContextOf(),
  );
  return {
    value: outputs["evidence_present"],
    messages: diagnostics?.map(({ severity, message }) => `${severity}: ${message}`),
  };
}

describe("evidencePresence", () => {
  it("is true for a directory that holds a file, and false after the file is gone", async () => {
    const evidence = at("gone");

    expect(await presence(evidence)).toStrictEqual({ value: true, messages: [] });
    rmSync(join(tree.root, "gone/answer.txt"));
    expect(await presence(evidence)).toStrictEqual({
      value: false,
      messages: ['warning: the evidence "final_state" is empty'],
    });
  });

  it("can accept an empty directory", async () => {
    expect(await presence(at("empty"), { requireNonEmpty: false })).toStrictEqual({
      value: true,
      messages: [],
    });
  });

  it.each<[string, JsonObject]>([
    ["no evidence", {}],
    ["evidence of another kind", { final_state: { kind: "logs", ref: tree.root } }],
    ["evidence on another machine", { final_state: { kind: "filesystem", ref: "s3://bucket/a" } }],
    ["a directory that is gone", at("nowhere")],
    ["a file", at("file.txt")],
  ])("is false with a warning, never an error, for %s", async (_case, evidence) => {
    const { value, messages } = await presence(evidence);

    expect(value).toBe(false);
    expect(messages).toStrictEqual([expect.stringMatching(/^warning: .*final_state/)]);
  });

  it("looks at the evidence that it is told to and names its output as it is told to", async () => {
    const metric = evidencePresence({ evidenceName: "logs_dir", outputName: "has_logs" });
    const input = metricInput({
      evidence: { logs_dir: { kind: "filesystem", ref: join(tree.root, "full") } },
    });

    expect((await metric.compute(input, metricContextOf())).outputs).toStrictEqual({
      has_logs: true,
    });
    expect(metric.outputs.map(({ name, kind, absent }) => [name, kind, absent])).toStrictEqual([
      ["has_logs", "boolean", false],
    ]);
  });

  describe("keeps the contract", () => {
    const cases = [
      { name: "a full directory", input: metricInput({ finalState: join(tree.root, "full") }) },
      { name: "no evidence", input: metricInput() },
    ];

    for (const { name, run } of metricConformance({
      make: () => evidencePresence(),
      cases,
      context: metricContextOf(),
    })) {
      it(name, run);
    }
  });
});
