import {
  appendFileSync,
  cpSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { BundleReader } from "../../packages/assay/src/bundle/read-bundle.ts";
import { resolveRefs } from "../../packages/assay/src/bundle/resolve-refs.ts";
import { nodeEngine } from "../../packages/assay/src/engine/node-engine.ts";
import { readResult } from "../../packages/assay/src/engine/results/read-result.ts";
import type { AssayError } from "../../packages/assay/src/errors/assay-error.ts";
import { exitCodeOf } from "../../packages/assay/src/errors/exit-codes.ts";
import { nodeFileStore } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { eager, runTarget } from "../engine/run-kit.ts";
import { reseal } from "../support/reseal.ts";
import { filesOf } from "./door-kit.ts";
import { foreignBundle } from "./foreign-bundle.ts";
import { descriptor, evidence, folder } from "./import-kit.ts";

/** Reads everything that a reader can be asked for, rows included. */
async function readWhole(dir: string) {
  const result = await readResult(dir, await nodeEngine({ env: {}, cwd: "/" }));
  const reader = await BundleReader.open(dir, nodeFileStore);
  const all = async <T>(rows: AsyncIterable<T>) => {
    const list: T[] = [];
    for await (const row of rows) list.push(row);
    return list;
  };
  return {
    result,
    text: await result.formatSummary(),
    trials: await result.trials.toArray(),
    scores: await result.scores.toArray(),
    attempts: await all(reader.attempts()),
    evidenceFiles: await all(reader.evidenceFiles()),
    plan: await reader.plan(),
    statement: await reader.statement(),
    digest: await reader.digest(),
  };
}

/** A whole bundle of Assay's own, on disk: task `t0` of run `run-1`, scored by one metric. */
async function ownBundle() {
  const { root, workDir: dir } = await runTarget(eager(), { config: { runId: "run-1" } });
  return { root, dir, ...filesOf(dir) };
}

async function refusal(read: () => Promise<unknown>) {
  try {
    await read();
  } catch (thrown) {
    const { code, message, fault } = thrown as AssayError;
    return { code, message, exit: exitCodeOf(fault) };
  }
  throw new Error("it was read");
}

describe("a bundle that is whole", () => {
  it("gives every file back", async () => {
    const { dir } = await ownBundle();

    const read = await readWhole(dir);

    expect(read.result).toMatchObject({ runId: "run-1", status: "completed", statusCause: null });
    expect(read.trials).toMatchObject([{ id: "t0:stand_in", status: "completed" }]);
    expect(read.scores).toMatchObject([{ taskId: "t0", outputs: [{ name: "score", value: 1 }] }]);
    expect(read.attempts).toMatchObject([{ trialId: "t0:stand_in", cause: "ended" }]);
    expect(read.plan).toMatchObject({ suiteName: "suite" });
    expect(read.statement?.predicate.run.id).toBe("run-1");
    expect(read.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(read.text).toContain("trials=1");
  });

  it("is read from wherever it was moved to, also through a link to it", async () => {
    const { dir, root } = await ownBundle();
    renameSync(dir, join(root, "moved"));
    symlinkSync("moved", join(root, "link"));

    expect((await readWhole(join(root, "moved"))).result.runId).toBe("run-1");
    expect((await readWhole(join(root, "link"))).result.runId).toBe("run-1");
  });

  it.each([
    { what: "blank lines", change: (text: string) => `\n  \n${text}\n\t\n` },
    { what: "CRLF", change: (text: string) => text.replaceAll("\n", "\r\n") },
    { what: "a byte order mark", change: (text: string) => `\uFEFF${text}` },
    { what: "no last newline", change: (text: string) => text.trimEnd() },
  ])("may have $what in its rows", async ({ change }) => {
    const { dir, text } = await ownBundle();
    for (const name of ["tasks", "trials", "scores", "attempts"])
      writeFileSync(join(dir, `${name}.jsonl`), change(text(`${name}.jsonl`)));
    reseal(dir);

    const read = await readWhole(dir);

    expect(
      [read.trials, read.scores, read.attempts, read.result.tasks].map((rows) => rows.length),
    ).toEqual([1, 1, 1, 1]);
  });

  it("may have a byte order mark and CRLF in its documents", async () => {
    const { dir, text } = await ownBundle();
    const write = (name: string) =>
      writeFileSync(join(dir, name), `\uFEFF${text(name).replaceAll("\n", "\r\n")}`);
    for (const name of ["metadata.json", "summary.json", "plan.json"]) write(name);
    reseal(dir);
    write("run.json");

    expect((await readWhole(dir)).result.runId).toBe("run-1");
  });

  it("gives rows that stand there twice as they are", async () => {
    const { dir, text } = await ownBundle();
    appendFileSync(join(dir, "trials.jsonl"), text("trials.jsonl"));
    reseal(dir);

    expect((await readWhole(dir)).trials).toHaveLength(2);
  });

  it("keeps keys of its manifest that are not known", async () => {
    const { dir, document } = await ownBundle();
    writeFileSync(
      join(dir, "run.json"),
      JSON.stringify({ ...document("run.json"), later_key: { kept: [1] }, ["__proto__x"]: 1 }),
    );
    reseal(dir);

    const { manifest } = await BundleReader.open(dir, nodeFileStore);

    expect(manifest).toMatchObject({ later_key: { kept: [1] }, status: "completed" });
  });
});

describe("a bundle that cannot be read", () => {
  it.each([
    "plan.json",
    "metadata.json",
    "tasks.jsonl",
    "trials.jsonl",
    "scores.jsonl",
    "summary.json",
    "attempts.jsonl",
    "evidence.jsonl",
    "provenance.json",
  ])("lacks %s: it is damaged, and the file is named", async (name) => {
    const { dir } = await ownBundle();
    rmSync(join(dir, name));

    const refused = await refusal(() => readWhole(dir));

    expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exit: 5 });
    expect(refused.message).toContain(name);
  });

  it.each(["metadata.json", "trials.jsonl", "summary.json", "run.json", "provenance.json"])(
    "has a link in place of %s: it is not followed",
    async (name) => {
      const { dir, root } = await ownBundle();
      renameSync(join(dir, name), join(root, "outside"));
      symlinkSync("../outside", join(dir, name));

      const refused = await refusal(() => readWhole(dir));

      expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exit: 5 });
      expect(refused.message).toContain(name);
    },
  );

  const garbled: [string, string][] = [
    ["run.json", ""],
    ["run.json", "{"],
    ["run.json", "[]"],
    ["run.json", "null"],
    ["run.json", '{"artifacts":{}}'],
    ["run.json", '{"run_id":"r","artifacts":{},"status":"odd"}'],
    ["run.json", '{"run_id":"r","artifacts":{},"schema_version":0}'],
    ["run.json", '{"run_id":"r","artifacts":{},"schema_version":"1"}'],
    ["metadata.json", '{"started_at":1}'],
    ["metadata.json", "nonsense"],
    ["summary.json", "[]"],
    ["summary.json", '{"task_count":-1}'],
    ["summary.json", '{"more":1}'],
    ["plan.json", "{}"],
    ["provenance.json", "[]"],
    ["provenance.json", '{"_type":"other"}'],
    ["tasks.jsonl", "[]\n"],
    ["trials.jsonl", '{"id":"x"}\n'],
    ["scores.jsonl", "nonsense\n"],
    ["attempts.jsonl", "{}\n"],
    ["evidence.jsonl", "{}\n"],
  ];

  it.each(garbled)(
    "has %s with %j: it is damaged, and the file is named",
    async (name, content) => {
      const { dir } = await ownBundle();
      writeFileSync(join(dir, name), content);
      reseal(dir);

      const refused = await refusal(() => readWhole(dir));

      expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exit: 5 });
      expect(refused.message).toContain(name);
    },
  );

  it("has a torn last line: its number is told, blank lines counted", async () => {
    const { dir, text } = await ownBundle();
    const row = text("trials.jsonl").trimEnd();
    writeFileSync(join(dir, "trials.jsonl"), `${row}\r\n\r\n${row.slice(0, 40)}`);
    reseal(dir);

    const refused = await refusal(() => readWhole(dir));

    expect(refused.code).toBe("ASSAY_BUNDLE_DAMAGED");
    expect(refused.message).toContain("trials.jsonl:3 ");
  });

  it("has a key in a row that is not known: file, line and key are told", async () => {
    const { dir, text, rows } = await ownBundle();
    const odd = JSON.stringify({ ...rows("scores.jsonl")[0], verdict: 1 });
    writeFileSync(join(dir, "scores.jsonl"), `${text("scores.jsonl")}${odd}\n`);
    reseal(dir);

    const refused = await refusal(() => readWhole(dir));

    expect(refused.code).toBe("ASSAY_BUNDLE_DAMAGED");
    expect(refused.message).toMatch(/scores\.jsonl:2: unknown key "verdict"/);
  });

  it("has a line of enormous length: reading stops there, and its number is told", async () => {
    const { dir, text } = await ownBundle();
    const path = join(dir, "trials.jsonl");
    const reader = await BundleReader.open(dir, {
      ...nodeFileStore,
      readLineBatches: (file, options) =>
        nodeFileStore.readLineBatches(file, { ...options, maxLineBytes: 1_000_000 }),
    });
    writeFileSync(path, `${text("trials.jsonl")}"${"x".repeat(5_000_000)}`);
    let count = 0;

    const refused = await refusal(async () => {
      for await (const _trial of reader.trials()) count += 1;
    });

    expect(count).toBe(1);
    expect(refused.code).toBe("ASSAY_BUNDLE_DAMAGED");
    expect(refused.message).toContain("trials.jsonl:2: ");
  });

  it("is of a later format: that is told before anything else is asked of it", async () => {
    const { dir } = await ownBundle();
    writeFileSync(join(dir, "run.json"), '{"schema_version":2,"states":["new"]}');

    expect(await refusal(() => readWhole(dir))).toMatchObject({
      code: "ASSAY_BUNDLE_VERSION",
      exit: 5,
    });
  });

  it.each(["", "file", "nowhere", "file/below"])("is none: %j", async (name) => {
    const root = folder();
    writeFileSync(join(root, "file"), "");

    expect(await refusal(() => readWhole(join(root, name)))).toMatchObject({
      code: "ASSAY_BUNDLE_NOT_FOUND",
      exit: 2,
    });
  });
});

describe("a bundle of another writer", () => {
  it("is read and shown, without plan, ledger and statement", async () => {
    const dir = foreignBundle();

    const read = await readWhole(dir);

    expect(read.result).toMatchObject({ runId: "R", status: "completed", bundleDigest: "" });
    expect(read.result.metadata.target).toMatchObject({ name: "callable" });
    expect(read.trials.map(({ id, status }) => [id, status])).toEqual([
      ["sum-1:0", "completed"],
      ["sum-1:1", "failed"],
    ]);
    expect(read.scores).toHaveLength(2);
    expect([read.plan, read.statement, read.digest]).toEqual([null, null, null]);
    expect([read.attempts, read.evidenceFiles]).toEqual([[], []]);
    expect(read.text).toContain("sum-1:1");
    expect(read.text).toContain("TimeoutError");
  });

  it("of the oldest kind has tags in place of metadata, and values by task under another name", async () => {
    const dir = foreignBundle({
      "metadata.json": null,
      "benchmark.json": '{"name":"sums","version":3,"gone":null}',
      "summary.json":
        '{"task_metric_attempts":{"sum-1":{"exact-match.exact-match":[{"trial_id":"sum-1:0","value":1}]}}}',
    });

    const { result } = await readWhole(dir);

    expect(result.metadata).toMatchObject({
      labels: { name: "sums", version: "3" },
      target: null,
      startedAt: "",
    });
    expect(result.summary.taskMetricValues["sum-1"]).toEqual({
      "exact-match.exact-match": [{ trialId: "sum-1:0", valueType: "number", value: 1 }],
    });
  });

  it("without values by task says so to whoever needs them", async () => {
    const dir = foreignBundle({ "summary.json": '{"task_count":1}' });
    const reader = await BundleReader.open(dir, nodeFileStore);

    expect((await reader.summary()).taskMetricValues).toEqual({});
    expect(await refusal(() => reader.summary({ needsTaskValues: true }))).toMatchObject({
      code: "ASSAY_BUNDLE_VERSION",
    });
  });

  it.each(["trials.jsonl", "scores.jsonl", "tasks.jsonl", "metadata.json", "summary.json"])(
    "needs %s all the same",
    async (name) => {
      const dir = foreignBundle({ [name]: null });

      expect(await refusal(() => readWhole(dir))).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED" });
    },
  );
});

describe("refs of stored evidence", () => {
  const stored = "evidence/000000-sum-1/workspace";

  async function resolved(ref: string, prepare: (dir: string) => void = () => {}) {
    const dir = foreignBundle();
    prepare(dir);
    const set = await resolveRefs(evidence({ e: descriptor({ ref }) }), dir, nodeFileStore);
    return { dir, ref: set?.descriptors["e"]?.ref };
  }

  it.each([
    stored,
    `./${stored}/`,
    `/old/launch/${stored}`,
    `/evidence/of/mine/${stored}`,
    `file:///old/launch/${stored}`,
    `C:\\Users\\me\\run\\${stored.replaceAll("/", "\\")}`,
    `C:/run/${stored}`,
    stored.replaceAll("/", "\\"),
  ])("are found in the bundle wherever it lies: %s", async (ref) => {
    const { dir, ref: found } = await resolved(ref);

    expect(join(found ?? "", ".").replace(/\/$/, "")).toBe(join(dir, stored));
  });

  it.each([
    "evidence/../../outside",
    "../outside",
    "/etc",
    "/old/evidence/that/never/was",
    "",
    ".",
    "s3://bucket/evidence/000000-sum-1/workspace",
    "https://host/evidence",
    "evidence/nothing/here",
    "evidence/x\0y",
  ])("stay as they are when they do not lie in it: %j", async (ref) => {
    const { ref: found } = await resolved(ref, (dir) => {
      mkdirSync(join(dir, "../outside"), { recursive: true });
    });

    expect(found).toBe(ref);
  });

  it("stay as they are when a link in the bundle leads out", async () => {
    const { ref } = await resolved("evidence/out/passwd", (dir) => {
      symlinkSync("/etc", join(dir, "evidence/out"));
    });

    expect(ref).toBe("evidence/out/passwd");
  });

  it("lead into a copy of the bundle, not into the one it was copied from", async () => {
    const dir = foreignBundle();
    const copy = join(dir, "../copy");
    cpSync(dir, copy, { recursive: true });

    const set = await resolveRefs(
      evidence({ e: descriptor({ ref: join(dir, stored) }) }),
      copy,
      nodeFileStore,
    );

    expect(set?.descriptors["e"]?.ref).toBe(join(copy, stored));
  });
});
