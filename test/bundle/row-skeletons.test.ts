import { isUtf8 } from "node:buffer";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { z } from "zod";

import { eachRowIn, rowBatchesIn } from "../../packages/assay/src/bundle/decode-rows.ts";
import { KnownSkeletons } from "../../packages/assay/src/bundle/known-skeletons.ts";
import { rowSchemas, unwatched } from "../../packages/assay/src/bundle/row-files.ts";
import { RowStrictness } from "../../packages/assay/src/bundle/verify/row-strictness.ts";
import { messageOf } from "../../packages/assay/src/errors/assay-error.ts";
import { nodeFileStore } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { quickDecode } from "../../packages/assay/src/schema/quick-decode.ts";
import { mapperOf } from "../../packages/assay/src/schema/wire-mapper.ts";
import { whyTwofold } from "../../packages/assay/src/support/duplicate-keys.ts";
import { formatRow } from "../../packages/assay/src/support/json.ts";
import { runTarget, tasks } from "../engine/run-kit.ts";
import { leavesFiles } from "../engine/verify/verify-kit.ts";
import { temporaryFolder } from "../platform/temporary-folder.ts";
import { goldenRows } from "../schema/golden-rows.ts";
import { mutated, mutation } from "../schema/mutations.ts";
import { slowDecode } from "../schema/slow-decode.ts";

/** As Assay spells them: all keys are there. */
const rows = goldenRows
  .filter(({ place }) => place.includes(".jsonl"))
  .map(({ schema, wire }) => ({ schema, wire: mapperOf(schema).toWire(slowDecode(schema, wire)) }));

/** Puts bytes in the place of others. */
const edit = fc.record({
  at: fc.nat(),
  removed: fc.nat(3),
  put: fc.oneof(
    fc.constantFrom('"', "\\", "\\n", '\\"', ",", "{}", '"x":1,', "e9", "-", "0", ".5", " ", "\r"),
    fc.constantFrom("\n", "\0", "é", "\ud83d\ude00", "\\ud800", '":"', '","id":"', "1e999", "-0"),
    fc.string({ maxLength: 3 }),
  ),
  isBroken: fc.boolean(),
});

type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

function edited(row: Buffer, { at, removed, put, isBroken }: Edit): Buffer {
  const start = at % (row.length + 1);
  const bytes = isBroken && put === "é" ? Buffer.from(put, "latin1") : Buffer.from(put);
  return Buffer.concat([row.subarray(0, start), bytes, row.subarray(start + removed)]);
}

const source = { files: nodeFileStore, open: async () => unwatched, onBareNumbers: null };

async function oneByOne(file: string, schema: z.ZodType) {
  const read: unknown[] = [];
  const strictness = new RowStrictness();
  const inspected = { ...source, inspection: strictness };
  const failure = await eachRowIn(file, schema, inspected, (row) =>
    read.push(structuredClone(row)),
  ).then(() => null, messageOf);
  return { read, failure, isStrict: failure === null && strictness.isStrict() };
}

async function inBatches(file: string, schema: z.ZodType) {
  const read: unknown[] = [];
  try {
    const batches = rowBatchesIn(file, schema, source);
    for await (const batch of batches) read.push(...batch);
    return { read, failure: null, isStrict: isStrict(readFileSync(file)) };
  } catch (thrown) {
    return { read, failure: messageOf(thrown), isStrict: false };
  }
}

function isStrict(bytes: Buffer): boolean {
  const lines = bytes.toString().split("\n");
  const isOnce = (line: string) => whyTwofold(Buffer.from(line), JSON.parse(line)) === null;
  return isUtf8(bytes) && lines.every((line) => line.trim() === "" || isOnce(line));
}

describe("rows that are like one that was read before", () => {
  it("say what they say when each is read by itself, whatever differs in them", async () => {
    const change = fc.record({
      mutations: fc.array(mutation, { maxLength: 2 }),
      edits: fc.array(edit, { maxLength: 1 }),
    });
    const file = join(temporaryFolder(), "rows.jsonl");
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...rows),
        fc.array(change, { minLength: 1, maxLength: 6 }),
        async ({ schema, wire }, changes) => {
          const lines = changes.map(({ mutations, edits }) =>
            edits.reduce(edited, Buffer.from(JSON.stringify(mutations.reduce(mutated, wire)))),
          );
          const all = [Buffer.from(JSON.stringify(wire)), ...lines];
          writeFileSync(file, Buffer.concat(all.flatMap((line) => [line, Buffer.from("\n")])));

          expect(await oneByOne(file, schema)).toEqual(await inBatches(file, schema));
        },
      ),
      { numRuns: 600 },
    );
  });

  it("are nearly all rows of a run, those with evidence too", async () => {
    const { workDir } = await runTarget(leavesFiles, {
      tasks: tasks(2),
      config: { trialsPerTask: 3 },
    });

    for (const role of ["attempts", "trials", "scores", "evidence"] as const) {
      const bytes = readFileSync(join(workDir, `${role}.jsonl`));
      const [text = "", ...others] = bytes.toString().trimEnd().split("\n");
      const wire: unknown = JSON.parse(text);
      const known = new KnownSkeletons<unknown>(rowSchemas[role]);
      known.learn({ text, wire, row: quickDecode(rowSchemas[role], wire) });

      for (const line of others) {
        const row = known.read(Buffer.from(line), 0)?.row;
        expect(row).toEqual(quickDecode(rowSchemas[role], JSON.parse(line)));
      }
      expect(others.length).toBeGreaterThan(4);
    }
  });
});

describe("a row in which a text reaches further than the one before", () => {
  it("is not taken for it where that text has quotation marks", async () => {
    const schema = rowSchemas.evidence;
    const path = 'evidence/a","media_type":"text/html","x":"';
    const evidence = { trialId: "t0:trial", taskId: "t0", sizeBytes: 1, sha256: "0".repeat(64) };
    const facts = { mediaType: "text/plain", redactions: 0, isTruncated: false };
    const row = schema.parse({ path, ...evidence, ...facts });
    const first = formatRow(mapperOf(schema).toWire(row));
    const file = join(temporaryFolder(), "rows.jsonl");
    writeFileSync(file, `${first}\n${first.replaceAll('\\"', '"')}\n`);

    expect(await oneByOne(file, schema)).toEqual(await inBatches(file, schema));
    expect((await oneByOne(file, schema)).isStrict).toBe(false);
  });
});
