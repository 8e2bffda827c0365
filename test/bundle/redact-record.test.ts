import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { redactRecord } from "../../packages/assay/src/bundle/redact-record.ts";
import { RowWriter } from "../../packages/assay/src/bundle/row-writer.ts";
import { createRedactor } from "../../packages/assay/src/provenance/redaction/redactor.ts";
import { fromWire, toWire } from "../../packages/assay/src/schema/codec.ts";
import { evidenceFileSchema } from "../../packages/assay/src/schema/evidence-file.ts";
import { planRecordSchema } from "../../packages/assay/src/schema/plan.ts";
import { provenanceStatementSchema } from "../../packages/assay/src/schema/provenance.ts";
import { formatRecord } from "../../packages/assay/src/schema/row-format.ts";
import {
  formatRow,
  isPlainObject,
  type JsonObject,
} from "../../packages/assay/src/support/json.ts";
import { goldenRows } from "../schema/golden-rows.ts";

const redactorOf = (value: string) => createRedactor({ secrets: [{ name: "SECRET", value }] });

/** Every word, number and key of a record. */
function wordsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(wordsOf);
  if (isPlainObject(value))
    return Object.entries(value).flatMap(([key, item]) => [key, ...wordsOf(item)]);
  return value === null ? [] : [String(value)];
}

const everyWord = [...new Set(goldenRows.flatMap(({ wire }) => wordsOf(wire)))].filter(
  (word) => word !== "" && !"<redacted>".includes(word),
);

describe("a redacted record", () => {
  it("is a record still, whatever word of it is a secret", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...goldenRows),
        fc.constantFrom(...everyWord),
        ({ schema, wire, place }, secret) => {
          const redactor = redactorOf(secret);
          const clean = redactRecord(schema, wire, redactor);

          const value = fromWire(schema, clean, { source: place });
          expect(formatRow(toWire(schema, redactRecord(schema, value, redactor)))).toBe(
            formatRow(toWire(schema, value)),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it("has the row that it had when nothing that its writer was shown may hold the secret", () => {
    const looked = { clean: 0, suspect: 0 };
    const records = goldenRows.map(({ schema, wire, place }) => ({
      schema,
      value: fromWire(schema, wire, { source: place }),
    }));
    const words = everyWord.filter((_word, index) => index % 5 === 0);
    const secrets = words
      .flatMap((word) => [word, word.slice(1, -1)])
      .filter((one) => !"<redacted>".includes(one.trim()));
    for (const secret of secrets) {
      const redactor = redactorOf(secret);
      const writer = new RowWriter(redactor);
      // The second time it knows texts of the first.
      for (const { schema, value } of [...records, ...records]) {
        const row = writer.harmlessRow(schema, value);
        looked[row === null ? "suspect" : "clean"] += 1;
        if (row === null) continue;
        expect(formatRecord(schema, redactRecord(schema, value, redactor))).toBe(row);
      }
    }
    expect(Math.min(looked.clean, looked.suspect)).toBeGreaterThan(100);
  });

  it("has no secret in any of its rows, however often the text that holds it comes", () => {
    const secret = "hush-hush-77";
    const writer = new RowWriter(redactorOf(secret));
    const value = evidenceFileSchema.parse({
      path: `a ${secret}`,
      trialId: "t1:trial",
      taskId: "t1",
      sizeBytes: 1,
      sha256: "0".repeat(64),
      mediaType: secret,
      redactions: 0,
      isTruncated: false,
    });

    for (let time = 0; time < 3; time += 1) {
      expect(writer.harmlessRow(evidenceFileSchema, value)).toBeNull();
      expect(writer.row(evidenceFileSchema, value)).not.toContain(secret);
    }
  });

  it("is the same in both spellings", () => {
    for (const { schema, wire, place } of goldenRows) {
      const value = fromWire(schema, wire, { source: place });
      for (const secret of everyWord.slice(0, 50)) {
        const redactor = redactorOf(secret);
        const asWire = fromWire(schema, redactRecord(schema, wire, redactor), { source: place });
        expect(asWire).toEqual(redactRecord(schema, value, redactor));
      }
    }
  });

  it("is what it was when there is nothing to remove", () => {
    const redactor = redactorOf("never to be seen");
    for (const { schema, wire } of goldenRows)
      expect(formatRow(redactRecord(schema, wire, redactor))).toBe(formatRow(wire));
  });

  it("keeps its digests, which are nobody's words", () => {
    const sha256 = "12345678".repeat(8);
    const row = { path: "a 12345678", sha256, size_bytes: 12_345_678, media_type: "text/plain" };

    expect(redactRecord(evidenceFileSchema, row, redactorOf("12345678"))).toEqual({
      ...row,
      path: "a <redacted>",
    });
  });

  it("keeps the origin and the role of an option that is named like a credential", () => {
    const runner = {
      name: "r",
      kind: "runner",
      version: null,
      config: { api_key: "any" },
      origins: { api_key: "environment" },
      roles: { api_key: "credential" },
    };

    const clean = redactRecord(
      provenanceStatementSchema,
      { predicate: { runner } },
      redactorOf("never to be seen"),
      "settings",
    );

    expect(clean).toMatchObject({
      predicate: {
        runner: {
          origins: { api_key: "environment" },
          roles: { api_key: "credential" },
          config: { api_key: "<redacted>" },
        },
      },
    });
    const plan = { target: { origins: runner.origins } };
    expect(
      redactRecord(planRecordSchema, plan, redactorOf("never to be seen"), "settings"),
    ).toEqual(plan);
  });

  it("keeps both of two ids that become one", () => {
    const { schema, wire } = goldenRows.find(({ place }) => place.includes("summary")) ?? {};
    if (schema === undefined) throw new Error("there is no golden summary");
    const ids = {
      error_trial_ids: { "x/secret/1": ["a"], "x%2Fsecret%2F1": ["b"], "<redacted>": ["c"] },
    };

    const clean = redactRecord(
      schema,
      { ...(wire as JsonObject), ...ids },
      redactorOf("x/secret/1"),
    );

    expect(clean).toMatchObject({
      error_trial_ids: { "<redacted>-2": ["a"], "<redacted>-3": ["b"], "<redacted>": ["c"] },
    });
  });
});
