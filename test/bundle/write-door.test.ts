import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";

import { selfDigest } from "../../packages/assay/src/bundle/manifest.ts";
import { BundleReader } from "../../packages/assay/src/bundle/read-bundle.ts";
import { nodeFileStore } from "../../packages/assay/src/platform/files/node-file-store.ts";
import type { JsonObject } from "../../packages/assay/src/support/json.ts";
import {
  digest,
  firstTask,
  manifest,
  metadata,
  openDoor,
  plan,
  score,
  summary,
  task,
  trial,
  writeRun,
} from "./door-kit.ts";
import { canary, descriptor, entriesBelow, evidence } from "./import-kit.ts";

async function readAll(dir: string) {
  const reader = await BundleReader.open(dir, nodeFileStore);
  const all = async <T>(rows: AsyncIterable<T>) => {
    const list: T[] = [];
    for await (const row of rows) list.push(row);
    return list;
  };
  return {
    manifest: reader.manifest,
    plan: await reader.plan(),
    tasks: await all(reader.tasks()),
    trials: await all(reader.trials()),
    scores: await all(reader.scores()),
    attempts: await all(reader.attempts()),
    evidence: await all(reader.evidenceFiles()),
    summary: await reader.summary(),
    metadata: await reader.metadata(),
  };
}

describe("a run directory", () => {
  it("begins with its manifest and ends with it", async () => {
    const written: string[] = [];
    const kit = await openDoor({
      files: {
        writeAtomic: async (path, data) => {
          await nodeFileStore.writeAtomic(path, data);
          const status =
            basename(path) === "run.json" ? ` ${kit.document("run.json")["status"]}` : "";
          written.push(`${basename(path)}${status}`);
        },
        openAppend: async (path, options) => {
          written.push(basename(path));
          return await nodeFileStore.openAppend(path, options);
        },
      },
    });
    await writeRun(kit);

    expect(written).toEqual([
      "run.json running",
      "plan.json",
      "tasks.jsonl",
      "evidence.jsonl",
      "attempts.jsonl",
      "trials.jsonl",
      "scores.jsonl",
      "summary.json",
      "metadata.json",
      "run.json completed",
    ]);
  });

  it("has a manifest with relative paths only, and a digest of itself", async () => {
    const kit = await openDoor();
    await writeRun(kit);

    const document = kit.document("run.json");

    expect(document).toMatchObject({ output_dir: ".", dashboard_path: null, schema_version: 1 });
    const artifacts = document["artifacts"] as JsonObject;
    expect(Object.values(artifacts).every((path) => /^[a-z]+\.jsonl?$/.test(String(path)))).toBe(
      true,
    );
    expect(document["self_digest"]).toBe(selfDigest(document));
    expect(selfDigest({ ...document, run_id: "other" })).not.toBe(document["self_digest"]);
    expect(JSON.stringify(document)).not.toContain(kit.root);
  });

  it.each(["run.json", "plan.json", "trials.jsonl", "evidence", "provenance.json"])(
    "that holds %s already is refused and not touched",
    async (name) => {
      const first = await openDoor();
      await first.door.release();
      writeFileSync(join(first.dir, name), "precious");
      writeFileSync(join(first.dir, "notes.txt"), "mine");

      await expect(openDoor({ dir: first.dir })).rejects.toMatchObject({
        code: "ASSAY_OUTPUT_EXISTS",
        message: expect.stringContaining(name),
      });

      expect(readdirSync(first.dir).sort()).toEqual([name, "notes.txt"].sort());
      expect(first.text(name)).toBe("precious");
    },
  );

  it("may be a link to a directory, but neither a file nor a link that leads nowhere", async () => {
    const { root } = await openDoor();
    mkdirSync(join(root, "real"));
    symlinkSync("real", join(root, "link"));
    symlinkSync("nowhere", join(root, "dangling"));
    writeFileSync(join(root, "file"), "");

    await writeRun(await openDoor({ dir: join(root, "link") }));

    expect(readdirSync(join(root, "real"))).toContain("run.json");
    for (const name of ["dangling", "file"]) {
      await expect(openDoor({ dir: join(root, name) })).rejects.toMatchObject({
        code: "ASSAY_OUTPUT_EXISTS",
      });
    }
    await expect(openDoor({ dir: join(root, "link") })).rejects.toMatchObject({
      code: "ASSAY_OUTPUT_EXISTS",
    });
  });

  it("gives the digests of its data files as they lie on disk", async () => {
    const kit = await openDoor();
    await writeRun(kit);

    const subjects = await kit.door.subjects();

    expect(subjects.map(({ name }) => name)).toEqual([
      "plan.json",
      "metadata.json",
      "tasks.jsonl",
      "trials.jsonl",
      "scores.jsonl",
      "summary.json",
      "attempts.jsonl",
      "evidence.jsonl",
    ]);
    for (const { name, sha256 } of subjects)
      expect(sha256).toBe(createHash("sha256").update(kit.text(name)).digest("hex"));
  });
});

describe("what is stored", () => {
  it("is strict JSON in UTF-8, whatever the data are", async () => {
    const kit = await openDoor();
    const odd = {
      nan: Number.NaN,
      infinite: [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
      lone: "\ud800 and \udfff",
      separator: "\u2028\u2029",
      zero: -0,
      ["__proto__"]: { polluted: true },
    };
    await writeRun(kit, {
      trials: [trial({ output: { outputText: "\ud83d", response: odd, metadata: {} } })],
      scores: [score({ outputs: [{ name: "m", value: { a: Number.NaN, b: 1 } }] })],
      metadata: { ...metadata, labels: { lone: "\udc00" } },
    });

    for (const name of entriesBelow(kit.dir)) {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(
        readFileSync(join(kit.dir, name)),
      );
      expect(text).not.toMatch(/NaN(?!")|Infinity(?!")|\uFFFD/);
    }
    const [row] = kit.rows("trials.jsonl");
    const output = row?.["output"] as { output_text: string; response: JsonObject };
    expect(output.output_text).toBe("\ud83d");
    expect(output.response).toMatchObject({
      nan: "NaN",
      infinite: ["Infinity", "-Infinity"],
      lone: "\ud800 and \udfff",
    });
    expect(Object.hasOwn(output.response, "__proto__")).toBe(true);
    expect(kit.rows("scores.jsonl")[0]?.["outputs"]).toEqual([
      { name: "m", value: { a: "NaN", b: 1 } },
    ]);
    expect(kit.document("metadata.json")["labels"]).toEqual({ lone: "\udc00" });
  });

  it("holds no secret, in whatever field of whatever file it was given", async () => {
    const kit = await openDoor();
    const spoken = `it is ${canary}!`;
    mkdirSync(join(kit.scratch, "w"), { recursive: true });
    writeFileSync(join(kit.scratch, "w/log"), spoken);
    await kit.door.begin({
      manifest: { ...manifest, runId: `run-${canary}`, statusCause: spoken },
      plan: {
        ...plan,
        suiteName: spoken,
        parameters: { spoken },
        labels: { [canary]: canary },
        metrics: { [canary]: { digest, version: canary, config: { deep: [spoken] } } },
        tasks: [{ id: spoken, digest }],
        selection: { taskIds: [spoken], limit: null },
      },
      tasks: [
        { ...task, id: spoken, inputs: { instruction: spoken, files: { [canary]: spoken } } },
      ],
    });
    const told = trial({
      id: spoken,
      taskId: spoken,
      output: { outputText: spoken, response: [spoken, { [canary]: 1 }], metadata: { a: spoken } },
      error: { type: spoken, message: spoken, traceback: spoken, occurredAt: null },
      metadata: { b: spoken },
      evidence: evidence({ [spoken]: descriptor({ ref: join(kit.scratch, "w") }) }),
      attempts: [
        {
          cause: "error",
          fault: "target",
          errorType: spoken,
          servedModel: spoken,
          startedAt: "2026-08-01T10:00:00Z",
          durationMs: 1,
          phasesMs: { [canary]: 1 },
        },
      ],
    });
    await kit.door.appendTrial(await kit.door.admit(told, firstTask));
    await kit.door.appendScore(
      kit.door.admitScore(
        score({
          id: spoken,
          trialId: spoken,
          taskId: spoken,
          metricType: spoken,
          outputs: [{ name: spoken, value: spoken }],
          diagnostics: [
            { severity: "error", message: spoken, source: spoken, details: { spoken } },
          ],
          metadata: { spoken },
        }),
      ),
    );
    await kit.door.closeJournal();
    await kit.door.writeSummary({
      ...summary,
      scores: { scores: [scalar(`runner.${canary}.x`)] },
    });
    await kit.door.writeMetadata({
      ...metadata,
      labels: { spoken },
      target: { name: "n", kind: "runner", version: spoken, config: { spoken } },
    });
    await kit.door.writeProvenance({ predicate: { labels: { spoken } } }, null);
    await kit.door.seal({ ...manifest, runId: `run-${canary}`, statusCause: spoken });

    for (const name of entriesBelow(kit.dir)) {
      expect(name).not.toContain(canary);
      expect(kit.text(name)).not.toContain(canary.slice(2, -2));
    }
    const ids = [
      kit.rows("tasks.jsonl")[0]?.["id"],
      kit.rows("trials.jsonl")[0]?.["task_id"],
      kit.rows("scores.jsonl")[0]?.["task_id"],
      kit.rows("attempts.jsonl")[0]?.["task_id"],
      kit.rows("evidence.jsonl")[0]?.["task_id"],
      (kit.document("plan.json")["tasks"] as JsonObject[])[0]?.["id"],
    ];
    expect(new Set(ids)).toEqual(new Set(["it is <redacted>!"]));
    expect(kit.document("run.json")["status_cause"]).toBe("it is <redacted>!");
    const [row] = kit.rows("evidence.jsonl");
    const [stored] = kit.rows("trials.jsonl");
    const sets = stored?.["evidence"] as { descriptors: Record<string, { ref: string }> };
    expect(row?.["path"]).toBe(`${sets.descriptors["it is <redacted>!"]?.ref}/log`);
    expect(kit.text(String(row?.["path"]))).toBe("it is <redacted>!");
  });

  it("keeps credentials out of settings by their names, and lets labels and what the agent gave be", async () => {
    const kit = await openDoor();
    const settings = { api_key: "k", nested: { password: "p" }, max_tokens: 5 };
    const clean = { api_key: "<redacted>", nested: { password: "<redacted>" }, max_tokens: 5 };
    await writeRun(kit, {
      plan: {
        ...plan,
        parameters: { token: "t" },
        labels: { secret: "s" },
        metrics: { m: { digest, version: null, config: settings } },
      },
      trials: [
        trial({
          metadata: settings,
          output: { outputText: "api_key=mine", response: settings, metadata: settings },
        }),
      ],
      metadata: {
        ...metadata,
        labels: { access_key: "a" },
        target: { name: "n", kind: "runner", version: null, config: settings },
      },
    });

    expect(kit.document("plan.json")).toMatchObject({
      parameters: { token: "<redacted>" },
      labels: { secret: "s" },
      metrics: { m: { config: clean } },
    });
    expect(kit.document("metadata.json")).toMatchObject({
      labels: { access_key: "a" },
      target: { config: clean },
    });
    expect(kit.rows("trials.jsonl")[0]).toMatchObject({
      metadata: settings,
      output: { output_text: "api_key=mine", response: settings, metadata: settings },
    });
  });

  it.each(["completed", "metadata", "task_id", "evidence", "1234", "ended", "m"])(
    "can be read though %j is a secret: what the format fixes is nobody's word",
    async (secret) => {
      const kit = await openDoor({ secrets: [secret] });
      const spoken = `about ${secret}`;
      await writeRun(kit, {
        trials: [
          trial({
            output: { outputText: spoken, response: { [secret]: 1234 }, metadata: {} },
            measurements: { ...trial().record.measurements, promptTokens: 1234 },
          }),
        ],
      });

      const read = await readAll(kit.dir);

      expect(read.manifest.status).toBe("completed");
      expect(read.trials[0]).toMatchObject({ status: "completed" });
      expect(read.trials[0]?.measurements.promptTokens).toBe(1234);
      expect(read.trials[0]?.output?.outputText).not.toContain(spoken);
      expect(read.attempts[0]?.cause).toBe("ended");
      expect(read.scores[0]?.outputs[0]?.value).toBe(1);
    },
  );
});

describe("trials that cannot be told apart by their ids", () => {
  it("get folders of their own", async () => {
    const kit = await openDoor();
    for (const name of ["one", "two", "three"]) {
      mkdirSync(join(kit.scratch, name), { recursive: true });
      writeFileSync(join(kit.scratch, name, "file"), name);
    }
    await kit.door.begin({ manifest, plan, tasks: [task] });
    const admit = (name: string, id: string) => {
      const set = evidence({ final_state: descriptor({ ref: join(kit.scratch, name) }) });
      return kit.door.admit(trial({ id, evidence: set }), firstTask);
    };

    const stored = await Promise.all([
      admit("one", `t:${canary}`),
      admit("two", `t:${encodeURIComponent(canary)}`),
    ]);
    stored.push(await admit("three", "t:<redacted>"));

    const texts = stored.map(({ record }) => {
      const ref = record.evidence?.descriptors["final_state"]?.ref ?? "";
      return readFileSync(join(kit.dir, ref, "file"), "utf8");
    });
    expect(texts).toEqual(["one", "two", "three"]);
  });
});

describe("the evidence of earlier attempts", () => {
  it("is kept beside the evidence that counts, with rows of its own", async () => {
    const kit = await openDoor();
    const left = (name: string) => {
      mkdirSync(join(kit.scratch, name), { recursive: true });
      writeFileSync(join(kit.scratch, name, "log"), name);
      return evidence({ logs: descriptor({ kind: "logs", ref: join(kit.scratch, name) }) });
    };
    const attempt = {
      cause: "infrastructure",
      fault: "infrastructure",
      startedAt: "",
      durationMs: 1,
    } as const;
    const counting = left("third");
    await writeRun(kit, {
      trials: [
        trial({
          evidence: counting,
          attempts: [
            { ...attempt, evidence: left("first") },
            { ...attempt, evidence: null },
            { ...attempt, cause: "ended", fault: "none", evidence: counting },
          ],
        }),
      ],
    });

    const root = "evidence/000000-task/task-agent-";
    const paths = kit.rows("evidence.jsonl").map((row) => String(row["path"]));
    expect(paths).toHaveLength(2);
    expect(paths.every((path) => path.startsWith(root))).toBe(true);
    expect(paths[0]).toMatch(/\/logs\/log$/);
    expect(paths[1]).toMatch(/\/attempts\/0\/logs\/log$/);
    expect(paths.map(kit.text)).toEqual(["third", "first"]);
    expect(kit.rows("attempts.jsonl").map((row) => row["attempt_index"])).toEqual([0, 1, 2]);
  });
});

function scalar(name: string) {
  const none = { sum: null, mean: null, min: null, max: null, median: null };
  const more = { stdDev: null, variance: null, sampleStdDev: null, sampleVariance: null };
  return {
    name,
    count: null,
    nanCount: 0,
    ...none,
    ...more,
    scoreType: "scalar",
    value: 1,
  } as const;
}
