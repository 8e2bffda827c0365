import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { cutToBytes } from "../../packages/assay/src/bundle/bounds/bounds.ts";
import type { Trial } from "../../packages/assay/src/contracts/runner.ts";
import { firstTask, manifest, openDoor, plan, score, task, trial } from "./door-kit.ts";
import { canary } from "./import-kit.ts";

const mebibyte = 1024 * 1024;
const long = "z".repeat(17 * mebibyte);
const output = { outputText: "yes", response: null, metadata: {} };
const error = { type: "AgentError", message: null, traceback: null, occurredAt: null };

/** The row of one trial, as it is stored. */
async function stored(more: Partial<Trial>) {
  const kit = await openDoor();
  await kit.door.begin({ manifest, plan, tasks: [task] });
  const admitted = await kit.door.admit(trial(more), firstTask);
  await kit.door.appendTrial(admitted);
  await kit.door.closeJournal();
  const text = readFileSync(join(kit.dir, "trials.jsonl"), "utf8");
  const [row = {}] = kit.rows("trials.jsonl");
  const [attempt = {}] = kit.rows("attempts.jsonl");
  return { text, row, attempt, record: admitted.record };
}

describe("a trial that is too large for a row", () => {
  it("loses its response, and did not end well any more", async () => {
    const { row, attempt, record } = await stored({ output: { ...output, response: { long } } });

    const bytes = JSON.stringify({ long }).length;
    expect(row).toMatchObject({
      status: "partial",
      output: {
        output_text: "yes",
        response: null,
        metadata: { response_left_out: `${bytes} bytes` },
      },
      error: { type: "OutputTooLarge", message: expect.stringContaining(`${bytes} bytes`) },
    });
    expect(attempt).toMatchObject({ fault: "target", error_type: "OutputTooLarge" });
    expect(record).toMatchObject({ status: "partial", output: { response: null } });
  });

  it("keeps the error that it has", async () => {
    const { row } = await stored({
      status: "partial",
      output: { ...output, response: long },
      error: { ...error, message: "it crashed" },
    });

    expect(row).toMatchObject({ output: { response: null }, error: { message: "it crashed" } });
  });

  it.each<[string, Partial<Trial>, object]>([
    [
      "metadata",
      { metadata: { long, agent_ok: true } },
      { metadata: { agent_ok: true, long: { left_out: expect.stringMatching(/^\d+ bytes$/) } } },
    ],
    [
      "metadata of its output",
      { output: { ...output, metadata: { long, small: 1 } } },
      { output: { metadata: { small: 1, long: { left_out: expect.any(String) } } } },
    ],
    [
      "data of its evidence",
      { evidence: evidenceOf({ huge: long, small: "kept" }) },
      {
        evidence: {
          descriptors: {
            huge: { data: { left_out: expect.any(String) } },
            small: { data: "kept" },
          },
        },
      },
    ],
    [
      "evidence of which there is too much",
      {
        evidence: evidenceOf(
          Object.fromEntries(
            Array.from({ length: 20_000 }, (_item, index) => [`e${index}`, "z".repeat(1000)]),
          ),
        ),
      },
      { evidence: { descriptors: {}, metadata: { left_out: expect.any(String) } } },
    ],
  ])("stays what it is without %s", async (_what, more, expected) => {
    const { row } = await stored(more);
    expect(row).toMatchObject({ status: "completed", error: null, ...expected });
  });

  it.each<[string, Partial<Trial>]>([
    [
      "a text of control characters",
      { output: { ...output, outputText: "\0".repeat(100 * mebibyte) } },
    ],
    [
      "everything at once",
      {
        output: { outputText: long, response: long, metadata: { long } },
        metadata: { long },
        evidence: evidenceOf({ long }),
      },
    ],
  ])("has a row that can be read: %s", async (_what, more) => {
    const { text } = await stored(more);
    expect(text.length).toBeLessThan(32 * mebibyte);
  });

  it("loses the end of its texts, and says of its output what it was", async () => {
    const { row } = await stored({
      status: "partial",
      output: { ...output, outputText: "é".repeat(3 * mebibyte), metadata: { a: 1 } },
      error: { ...error, message: "m".repeat(70_000), traceback: "t".repeat(70_000) },
    });

    expect(row).toMatchObject({
      output: {
        output_text: "é".repeat(2 * mebibyte),
        metadata: { a: 1, truncated_from_bytes: 6 * mebibyte },
      },
      error: { message: "m".repeat(65_536), traceback: "t".repeat(65_536) },
    });
  });

  it("loses its secrets before it is cut", async () => {
    const head = "z".repeat(65_536 - canary.length + 1);
    const { text } = await stored({
      status: "partial",
      error: { ...error, message: head + canary },
    });
    expect(text).not.toContain(canary.slice(0, 8));
  });

  it("is untouched up to its bounds", async () => {
    const outputText = "z".repeat(4 * mebibyte);
    const { row } = await stored({ output: { outputText, response: "r", metadata: {} } });
    expect(row).toMatchObject({
      status: "completed",
      output: { output_text: outputText, response: "r", metadata: {} },
    });
  });
});

describe("a score that is too large for a row", () => {
  async function scored(more: Parameters<typeof score>[0]) {
    const kit = await openDoor();
    await kit.door.begin({ manifest, plan, tasks: [task] });
    await kit.door.appendScore(kit.door.admitScore(score(more)));
    await kit.door.closeJournal();
    return kit.rows("scores.jsonl")[0] ?? {};
  }

  const diagnostic = { severity: "info", message: "said", source: "m", details: {} } as const;

  it("is a failed one without its outputs", async () => {
    expect(await scored({ outputs: [{ name: "m", value: { long } }] })).toMatchObject({
      status: "failed",
      outputs: [],
      diagnostics: [{ severity: "error", details: { exception_type: "OutputTooLarge" } }],
    });
  });

  it("keeps its outputs, and the beginning of what is said beside them", async () => {
    const row = await scored({
      diagnostics: [
        { ...diagnostic, message: "z".repeat(70_000) },
        { ...diagnostic, details: { long, small: 1 } },
      ],
    });
    expect(row).toMatchObject({
      status: "completed",
      outputs: [{ name: "m", value: 1 }],
      diagnostics: [
        { message: "z".repeat(65_536) },
        { message: "said", details: { small: 1, long: { left_out: expect.any(String) } } },
      ],
    });
  });

  it("says how many diagnostics there was no room for", async () => {
    const many = Array.from({ length: 300_000 }, () => diagnostic);
    const { diagnostics } = await scored({ diagnostics: many });
    const kept = diagnostics as unknown as { readonly message: string }[];
    expect(kept.at(-1)?.message).toMatch(`${many.length - kept.length + 1} more diagnostics`);
  });
});

it("a text is cut between characters, and never to more than is allowed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(20), (text, maxBytes) => {
      const cut = cutToBytes(text, maxBytes);
      expect(text.startsWith(cut)).toBe(true);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
      const next = [...text.slice(cut.length)][0] ?? "";
      expect(next === "" || Buffer.byteLength(cut + next) > maxBytes).toBe(true);
    }),
  );
});

function evidenceOf(data: Readonly<Record<string, string | number>>): Trial["evidence"] {
  const entries = Object.entries(data).map(([name, value]) => [
    name,
    { kind: "note", ref: null, format: null, data: value, description: null, metadata: {} },
  ]);
  return { descriptors: Object.fromEntries(entries), metadata: {} };
}
