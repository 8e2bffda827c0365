import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type AssayError, type Bundle, readBundle } from "assay";
import { metricFromConfig } from "assay/metrics";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { BundleReader } from "../../packages/assay/src/bundle/read-bundle.ts";
import { nodeEngine } from "../../packages/assay/src/engine/node-engine.ts";
import { resolveSuite } from "../../packages/assay/src/engine/suite/resolve-suite.ts";
import { nodeFileStore } from "../../packages/assay/src/platform/files/node-file-store.ts";
import type { JsonObject } from "../../packages/assay/src/support/json.ts";
import { asKilled, cutRows } from "../engine/resume-kit.ts";
import {
  bench,
  completed,
  constant,
  filesBelow,
  places,
  refusal,
  runner,
  runTarget,
  storedDocument,
  storedRows,
  tasks,
} from "../engine/run-kit.ts";
import { reseal, resealManifest } from "../support/reseal.ts";
import { filesOf } from "./door-kit.ts";
import { foreignBundle } from "./foreign-bundle.ts";

/** Each trial leaves a folder with a file and a link to it. */
const target = runner(async function* (plan, { scratch }) {
  for (const { taskId } of places(plan)) {
    const workspace = join(scratch, taskId);
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(workspace, "out.txt"), `made by ${taskId}`);
    symlinkSync("out.txt", join(workspace, "link"));
    const blank = { data: null, description: null, metadata: {}, format: "dir" };
    const descriptors = { final_state: { kind: "filesystem", ref: workspace, ...blank } };
    yield completed(taskId, 0, { evidence: { descriptors, metadata: {} } });
  }
});

async function sealedBundle() {
  const { workDir: dir, root, result } = await runTarget(target, { tasks: tasks(2) });
  return { dir, root, digest: result.bundleDigest, ...filesOf(dir) };
}

/** Reads all that a bundle holds but its evidence, rows to their end. */
async function readAll(dir: string): Promise<Bundle> {
  const bundle = await readBundle(dir);
  await bundle.trials.toArray();
  await bundle.scores.toArray();
  await bundle.assertUnaltered();
  return bundle;
}

async function rescore(dir: string) {
  const here = bench();
  const { files } = await nodeEngine({ env: {}, cwd: here.root });
  const suite = await resolveSuite(
    { name: "again", tasks: tasks(2), metrics: [constant(0.5)], target },
    { baseName: "again", baseDir: here.root, files, metricFromConfig },
  );
  const result = () => here.evaluator.rescore(dir, suite, { workDir: here.workDir });
  return { ...here, result };
}

const records = [
  "plan.json",
  "metadata.json",
  "tasks.jsonl",
  "trials.jsonl",
  "scores.jsonl",
  "summary.json",
  "attempts.jsonl",
  "evidence.jsonl",
];

function damagedFiles(error: AssayError): JsonObject[] {
  return error.data["files"] as JsonObject[];
}

describe("a sealed bundle", () => {
  it("is read, verified with its evidence, and has the digest that the run told", async () => {
    const { dir, digest } = await sealedBundle();

    const bundle = await readAll(dir);
    await bundle.assertUnaltered({ withEvidence: true });

    expect(bundle.bundleDigest).toBe(digest);
    expect(bundle.unsealedBecause).toBeNull();
  });

  it("of which any one bit of a record is flipped cannot be read to its end, and the file is named", async () => {
    const { dir } = await sealedBundle();
    const names = [...records, "provenance.json", "run.json"];
    const place = fc.tuple(fc.constantFrom(...names), fc.nat(), fc.nat({ max: 7 }));

    await fc.assert(
      fc.asyncProperty(place, async ([name, at, bit]) => {
        const whole = readFileSync(join(dir, name));
        const altered = Buffer.from(whole);
        const index = at % altered.length;
        altered[index] = (altered[index] as number) ^ (1 << bit);
        writeFileSync(join(dir, name), altered);
        const refused = await refusal(() => readAll(dir)).finally(() =>
          writeFileSync(join(dir, name), whole),
        );
        expect(refused.exitCode).toBe(5);
        expect(refused.message).toContain(name);
      }),
      { numRuns: 200 },
    );
    await readAll(dir);
  });

  it("is verified with its evidence when its run was killed and resumed", async () => {
    const all = tasks(3);
    const metrics = [constant()];
    const { workDir, evaluator, result } = await runTarget(target, { tasks: all, metrics });
    asKilled(workDir);
    cutRows(workDir, "trials.jsonl", 1);
    cutRows(workDir, "scores.jsonl", 2);
    mkdirSync(join(workDir, "evidence/000002-t2/half"), { recursive: true });
    writeFileSync(join(workDir, "evidence/000002-t2/half/out.txt"), "made");

    await evaluator.run({ tasks: all, metrics, target, config: { workDir, resume: true } });

    const bundle = await readAll(workDir);
    await bundle.assertUnaltered({ withEvidence: true });
    expect(bundle.summary.trialCount).toBe(3);
    expect(bundle.bundleDigest).not.toBe(result.bundleDigest);
  });

  it.each(records)("with a changed %s names expected and found digest", async (name) => {
    const { dir, document } = await sealedBundle();
    const subjects = document("provenance.json")["subject"] as unknown as {
      name: string;
      digest: { sha256: string };
    }[];
    appendFileSync(join(dir, name), "\n");

    const refused = await refusal(() => readAll(dir));

    expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exitCode: 5 });
    const expected = `sha256:${subjects.find((one) => one.name === name)?.digest.sha256}`;
    const [damage] = damagedFiles(refused.error);
    expect(damage).toMatchObject({ path: name, expected });
    expect(damage?.["found"]).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(refused.message).toContain(`${name}: expected ${expected}, found sha256:`);
  });

  it("names each file that was changed, whichever is met first", async () => {
    const { dir } = await sealedBundle();
    for (const name of ["summary.json", "scores.jsonl", "attempts.jsonl"])
      appendFileSync(join(dir, name), "{");
    rmSync(join(dir, "plan.json"));

    const refused = await refusal(() => readBundle(dir));

    const named = damagedFiles(refused.error).map(({ path, found }) => [path, found === null]);
    expect(named.sort()).toEqual([
      ["attempts.jsonl", false],
      ["plan.json", true],
      ["scores.jsonl", false],
      ["summary.json", false],
    ]);
  });

  it("gives no error to whoever reads only what is whole; the altered rows end in one", async () => {
    const { dir, text } = await sealedBundle();
    writeFileSync(join(dir, "trials.jsonl"), text("trials.jsonl").replace('"yes"', '"no!"'));

    const bundle = await readBundle(dir);

    expect(await bundle.scores.toArray()).toHaveLength(2);
    expect(await refusal(() => bundle.trials.toArray())).toMatchObject({ exitCode: 5 });
  });

  it("is not another run because run.json was written anew, with its own digest", async () => {
    for (const change of [{ run_id: "another" }, { status: "incomplete" }]) {
      const { dir, document } = await sealedBundle();
      writeFileSync(join(dir, "run.json"), JSON.stringify({ ...document("run.json"), ...change }));
      resealManifest(dir);

      const refused = await refusal(() => readBundle(dir));

      expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exitCode: 5 });
      expect(refused.message).toContain("run.json");
    }
  });

  it.each(["\\ud800", 1, null, undefined])(
    "is damaged when run.json has %j for its own digest, or a text that has none",
    async (digest) => {
      const { dir, document } = await sealedBundle();
      const text = JSON.stringify({ ...document("run.json"), self_digest: digest, run_id: "RUN" });
      writeFileSync(join(dir, "run.json"), text.replace("RUN", String(digest)));

      const refused = await refusal(() => readBundle(dir));

      expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exitCode: 5 });
      expect(refused.message).toContain("run.json");
    },
  );

  it("whose statement lists files outside of it reads none of them", async () => {
    for (const name of ["../outside", "/etc/hostname", "evidence/x", "..", "a\0b"]) {
      const { dir, root, document } = await sealedBundle();
      writeFileSync(join(root, "outside"), "secret");
      const statement = document("provenance.json") as unknown as { subject: unknown[] };
      statement.subject.push({ name, digest: { sha256: "0".repeat(64) } });
      writeFileSync(join(dir, "provenance.json"), JSON.stringify(statement));
      resealManifest(dir);
      const opened: string[] = [];
      const readChunks = (path: string) => {
        opened.push(path);
        return nodeFileStore.readChunks(path);
      };

      const reader = await BundleReader.open(dir, { ...nodeFileStore, readChunks });
      const refused = await refusal(() => reader.assertUnaltered());

      expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exitCode: 5 });
      expect(refused.message).toContain(JSON.stringify(name));
      expect(opened).toEqual([]);
    }
  });

  it("whose statement does not list a file that is read is damaged", async () => {
    const { dir, document } = await sealedBundle();
    const statement = document("provenance.json") as unknown as { subject: { name: string }[] };
    const subject = statement.subject.filter(({ name }) => name !== "trials.jsonl");
    writeFileSync(join(dir, "provenance.json"), JSON.stringify({ ...statement, subject }));
    resealManifest(dir);

    const refused = await refusal(() => readAll(dir));

    expect(refused.message).toContain("trials.jsonl");
    expect(refused.exitCode).toBe(5);
  });
});

type Change = (dir: string, evidence: string) => void;

const replaceIn = (name: string, from: string, to: string): Change => {
  return (dir) => {
    const path = join(dir, name);
    const before = readFileSync(path, "utf8");
    expect(before).toContain(from);
    writeFileSync(path, before.replace(from, to));
  };
};

const changes: { what: string; change: Change; named: string }[] = [
  ...records.map((name) => ({
    what: `a byte more in ${name}`,
    change: (dir: string) => appendFileSync(join(dir, name), " "),
    named: name,
  })),
  {
    what: "another answer of the agent",
    change: replaceIn("trials.jsonl", '"yes"', '"no!"'),
    named: "trials.jsonl",
  },
  {
    what: "another target in the statement",
    change: replaceIn("provenance.json", "stand_in", "stand_up"),
    named: "provenance.json",
  },
  {
    what: "another run in the manifest",
    change: replaceIn("run.json", '"run_id": "', '"run_id": "x'),
    named: "run.json",
  },
  {
    what: "a changed byte of evidence",
    change: (_dir, evidence) => writeFileSync(join(evidence, "out.txt"), "made by T0"),
    named: "/final_state/out.txt",
  },
  {
    what: "more evidence in a file",
    change: (_dir, evidence) => appendFileSync(join(evidence, "out.txt"), "!"),
    named: "/final_state/out.txt",
  },
  {
    what: "a file of evidence less",
    change: (_dir, evidence) => unlinkSync(join(evidence, "out.txt")),
    named: "/final_state/out.txt",
  },
  {
    what: "a file of evidence more",
    change: (_dir, evidence) => writeFileSync(join(evidence, "reward.txt"), "1"),
    named: "/final_state/reward.txt",
  },
  {
    what: "a file deeper than evidence can be",
    change: (_dir, evidence) => {
      mkdirSync(join(evidence, "d/".repeat(200)), { recursive: true });
      writeFileSync(join(evidence, "d/".repeat(200), "reward.txt"), "1");
    },
    named: "/final_state/d/d",
  },
  {
    what: "a link in place of a file of evidence",
    change: (_dir, evidence) => {
      renameSync(join(evidence, "out.txt"), join(evidence, "../out.txt"));
      symlinkSync("../out.txt", join(evidence, "out.txt"));
    },
    named: "/final_state/out.txt",
  },
  {
    what: "a link that leads elsewhere",
    change: (_dir, evidence) => {
      unlinkSync(join(evidence, "link"));
      symlinkSync("elsewhere", join(evidence, "link"));
    },
    named: "/final_state/link",
  },
  {
    what: "a link in place of all evidence",
    change: (dir) => {
      renameSync(join(dir, "evidence"), join(dir, "moved"));
      symlinkSync("moved", join(dir, "evidence"));
    },
    named: "evidence",
  },
];

describe("an altered bundle", () => {
  it.each(changes)(
    "with $what is not scored again: $named is named, nothing is written",
    async ({ change, named }) => {
      const { dir } = await sealedBundle();
      const [row] = storedRows(dir, "evidence.jsonl");
      change(dir, join(dir, String(row?.["path"]), ".."));
      const again = await rescore(dir);

      const refused = await refusal(again.result);

      expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exitCode: 5 });
      expect(refused.message).toContain(named);
      expect(refused.error.remedy).toContain("source");
      expect(existsSync(again.workDir)).toBe(false);
      expect(again.leftovers()).toEqual([]);
    },
  );

  it("with evidence of enormous size is refused without reading it", async () => {
    const { dir } = await sealedBundle();
    const [row] = storedRows(dir, "evidence.jsonl");
    const file = join(dir, String(row?.["path"]), "../out.txt");
    const { openSync, ftruncateSync, closeSync } = await import("node:fs");
    const handle = openSync(file, "r+");
    ftruncateSync(handle, 10 * 1024 ** 3);
    closeSync(handle);

    const refused = await refusal((await rescore(dir)).result);

    expect(refused.exitCode).toBe(5);
    expect(refused.message).toContain("found 10737418240 bytes");
  });

  it("with a document of enormous size is refused without reading it", async () => {
    const { dir } = await sealedBundle();
    truncateSync(join(dir, "summary.json"), 10 * 1024 ** 3);

    const refused = await refusal((await rescore(dir)).result);

    expect(refused.exitCode).toBe(5);
    expect(refused.message).toContain("the most that a document may take");
  });

  it("that was sealed anew is scored again under its own digest, not that of the original", async () => {
    const { dir, digest, text } = await sealedBundle();
    writeFileSync(join(dir, "trials.jsonl"), text("trials.jsonl").replace('"yes"', '"no!"'));
    reseal(dir);
    const again = await rescore(dir);

    await again.result();

    const { bundleDigest } = await readBundle(dir);
    expect(bundleDigest).not.toBe(digest);
    expect(parentDigest(again.workDir)).toBe(bundleDigest);
  });
});

function parentDigest(dir: string): unknown {
  const { predicate } = storedDocument(dir, "provenance.json") as unknown as {
    predicate: { parents: { bundle_digest: unknown }[] };
  };
  return predicate.parents[0]?.bundle_digest;
}

describe("a bundle without digests", () => {
  /** The original's statement is still there, but the manifest does not name it any more. */
  async function strippedBundle() {
    const bundle = await sealedBundle();
    const {
      schema_version: _version,
      self_digest: _digest,
      provenance_sha256: _sha256,
      ...rest
    } = bundle.document("run.json");
    writeFileSync(join(bundle.dir, "run.json"), JSON.stringify(rest));
    return bundle;
  }

  it("is read, and says that nothing of it was verified", async () => {
    const bundle = await readAll(foreignBundle());

    expect(bundle.unsealedBecause).toBe("the bundle was written by another tool");
    expect(bundle.bundleDigest).toBe("");
  });

  it("lends nobody the digest of a statement that its manifest does not name", async () => {
    const { dir } = await strippedBundle();
    const again = await rescore(dir);

    const bundle = await readAll(dir);
    await again.result();

    expect([bundle.bundleDigest, bundle.provenance]).toEqual(["", null]);
    expect(parentDigest(again.workDir)).toEqual({ unknown: expect.any(String) });
  });
});

it("a copy of a bundle is verified like the original", async () => {
  const { dir, root, digest } = await sealedBundle();
  const copy = await (await readBundle(dir)).persist(join(root, "copy"));

  const bundle = await readBundle(copy);
  await bundle.assertUnaltered({ withEvidence: true });

  expect(bundle.bundleDigest).toBe(digest);
  expect(filesBelow(copy)).toEqual(filesBelow(dir));
  expect(readdirSync(copy).sort()).toEqual(readdirSync(dir).sort());
});

it("a statement of another build is not called damaged where its digest agrees", async () => {
  const { dir } = await sealedBundle();
  const file = join(dir, "provenance.json");
  const statement = JSON.parse(readFileSync(file, "utf8")) as JsonObject;
  writeFileSync(file, JSON.stringify({ ...statement, added_later: 1 }));
  reseal(dir);
  const reader = await BundleReader.open(dir, nodeFileStore);

  await expect(reader.statement()).rejects.toMatchObject({
    code: "ASSAY_BUNDLE_VERSION",
    message: expect.stringMatching(/is whole, but not in the form .*added_later/s),
  });
});
