import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type CallableContext, callable } from "assay/runners";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { signedEnvelope } from "../../../packages/assay/src/provenance/signing/envelope.ts";
import { signingKeyOf } from "../../../packages/assay/src/provenance/signing/keys.ts";
import { foreignBundle } from "../../bundle/foreign-bundle.ts";
import { reseal, resealManifest } from "../../support/reseal.ts";
import { asKilled, cutRows } from "../resume-kit.ts";
import {
  bench,
  constant,
  eager,
  filesBelow,
  refusal,
  runTarget,
  storedDocument,
  tasks,
} from "../run-kit.ts";
import { rescoredFrom } from "./rescored.ts";
import { forgeRows, keyFiles, named, sealedRun, verified } from "./verify-kit.ts";

describe("a bundle as it was sealed", () => {
  it("is consistent, and equal to the digest that the run told", async () => {
    const { dir, digest } = await sealedRun();

    expect(await verified(dir)).toMatchObject({
      verdict: "verified",
      proved: ["consistent"],
      exitCode: 0,
      problems: [],
      notes: [],
      bundleDigest: digest,
      counts: { tasks: 2, trials: 4, scores: 4, attempts: 4, evidence: 8 },
    });
    expect((await verified(dir, { digest })).proved).toEqual(["consistent", "digest"]);
    const upperCase = digest.slice("sha256:".length).toUpperCase();
    expect((await verified(dir, { digest: upperCase })).verdict).toBe("verified");
  });

  it("is signed by the key that signed it, and by no other", async () => {
    const { root } = bench();
    const [own, other] = [keyFiles(root), keyFiles(root, "other")];
    const { dir, digest } = await sealedRun({ config: { signKeyFile: own.privateFile } });

    const good = await verified(dir, { keyFile: own.publicFile, digest });
    expect(good).toMatchObject({ proved: ["consistent", "digest", "signature"], exitCode: 0 });
    expect(good.claimedKeyIds).toHaveLength(1);
    const bad = await verified(dir, { keyFile: other.publicFile });
    expect(bad).toMatchObject({ verdict: "damaged", proved: [], exitCode: 5 });
    expect(named(bad)).toEqual(["provenance.dsse.json unproved"]);
  });

  it("is not proved to be signed when it is not", async () => {
    const { dir, root } = await sealedRun();

    const found = await verified(dir, { keyFile: keyFiles(root).publicFile });

    expect(found.exitCode).toBe(5);
    expect(found.problems[0]?.message).toContain("not signed");
  });

  it("says all that as one document", async () => {
    const { dir, digest } = await sealedRun();

    expect((await verified(dir)).toJSON()).toMatchObject({
      verdict: "verified",
      proved: ["consistent"],
      problem_count: 0,
      bundle_digest: digest,
      exit_code: 0,
    });
  });
});

describe("no false alarm", () => {
  it.each([
    [
      "trials that failed, and metrics that failed",
      {
        target: callable({
          name: "a",
          agent: ({ id }: { id: string }) => {
            if (id === "t1") throw new Error("no");
            return "yes";
          },
        } as never),
        metrics: [
          constant(),
          {
            ...constant(),
            type: "breaks",
            compute: () => {
              throw new Error("x");
            },
          } as never,
        ],
      },
    ],
    ["non-finite and label-like values", { target: eager(), metrics: [constant(Number.NaN)] }],
    ["no trial at all but a limit", { target: eager(), config: { maxCostUsd: 0.000001 } }],
  ])("is raised for a run with %s", async (_what, { target, ...run }) => {
    const { workDir } = await runTarget(target, { tasks: tasks(3), ...run } as never);

    expect(named(await verified(workDir))).toEqual([]);
  });

  it("is raised for a run that was interrupted, and one that was killed and resumed", async () => {
    const stop = new AbortController();
    const agent = ({ id }: { id: string }, { usage }: CallableContext) => {
      usage.add({ promptTokens: 3, costUsd: Number(`0.${id.slice(1)}1`) });
      if (id === "t1") stop.abort("SIGINT");
      return "yes";
    };
    const target = () => callable({ name: "a", agent } as never);
    const config = { trialsPerTask: 2, concurrency: 1 };
    const here = await runTarget(target(), {
      tasks: tasks(4),
      config: { ...config, signal: stop.signal },
    });
    const dir = here.workDir;
    expect(await verified(dir)).toMatchObject({
      verdict: "verified",
      status: "interrupted",
      problems: [],
    });

    const resumed = { ...config, workDir: dir, resume: true };
    await here.evaluator.run({
      tasks: tasks(4),
      metrics: [constant()],
      target: target(),
      config: resumed,
    });
    expect(await verified(dir)).toMatchObject({
      verdict: "verified",
      status: "completed",
      problems: [],
    });
    asKilled(dir);
    const again = { ...resumed, trialsPerTask: 3 };
    await here.evaluator.run({
      tasks: tasks(4),
      metrics: [constant()],
      target: target(),
      config: again,
    });
    expect(await verified(dir)).toMatchObject({ verdict: "verified", problems: [] });
    expect(storedDocument(dir, "provenance.json")).toMatchObject({
      predicate: { usage: { cost_usd: expect.any(Number), prompt_tokens: expect.any(Number) } },
    });
  });

  it("is raised for a bundle that was scored again, or moved", async () => {
    const { dir, root } = await sealedRun();
    const again = await rescoredFrom(dir, root);

    expect(await verified(again)).toMatchObject({ verdict: "verified", problems: [] });
  });
});

describe("one bit", () => {
  it("that is flipped in any file of a bundle is found, and the file is named", async () => {
    const { root } = bench();
    const key = keyFiles(root);
    const { dir } = await sealedRun({ config: { signKeyFile: key.privateFile } });
    const names = filesBelow(dir).filter((name) => !name.endsWith("/link"));
    expect(names).toHaveLength(15);

    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.nat(),
        fc.nat({ max: 7 }),
        async (name, at, bit) => {
          const whole = readFileSync(join(dir, name));
          const altered = Buffer.from(whole);
          const index = at % altered.length;
          altered[index] = (altered[index] as number) ^ (1 << bit);
          writeFileSync(join(dir, name), altered);
          const found = await verified(dir).finally(() => writeFileSync(join(dir, name), whole));
          expect(found.exitCode).toBe(5);
          expect(found.problems.map(({ path }) => path)).toContain(name);
        },
      ),
      { numRuns: 150 },
    );
    expect((await verified(dir)).verdict).toBe("verified");
  });

  it("flipped in several files at once: each is named, and no other", async () => {
    const { dir } = await sealedRun();
    const names = ["scores.jsonl", "attempts.jsonl", "run.json"];
    for (const name of names)
      writeFileSync(
        join(dir, name),
        readFileSync(join(dir, name), "utf8")
          .replace("t0", "tO")
          .replace('"artifacts"', '"artifactz"'),
      );
    rmSync(join(dir, "plan.json"));

    expect(named(await verified(dir))).toEqual([
      "attempts.jsonl altered",
      "plan.json missing",
      "run.json altered",
      "scores.jsonl altered",
    ]);
  });
});

describe("a forger who makes all digests anew", () => {
  async function forged() {
    const { root } = bench();
    const key = keyFiles(root);
    const run = await sealedRun({ config: { signKeyFile: key.privateFile } });
    const statement = readFileSync(join(run.dir, "provenance.json"), "utf8");
    writeFileSync(join(run.dir, "provenance.json"), statement.replaceAll("stand_in", "better_1"));
    const metadata = readFileSync(join(run.dir, "metadata.json"), "utf8");
    writeFileSync(join(run.dir, "metadata.json"), metadata.replaceAll("stand_in", "better_1"));
    reseal(run.dir);
    return { ...run, key };
  }

  it("and takes the signature away is caught by the digest, and by the key, and by nothing else", async () => {
    const { dir, digest, key } = await forged();
    rmSync(join(dir, "provenance.dsse.json"));
    const manifest = storedDocument(dir, "run.json");
    writeFileSync(join(dir, "run.json"), JSON.stringify({ ...manifest, signature_sha256: null }));
    resealManifest(dir);

    expect((await verified(dir)).proved).toEqual(["consistent"]);
    expect(named(await verified(dir, { digest }))).toEqual([". unproved"]);
    expect(named(await verified(dir, { keyFile: key.publicFile }))).toEqual([
      "provenance.dsse.json unproved",
    ]);
  });

  it("and says that it is not signed, beside an envelope, is caught by that", async () => {
    const { root } = bench();
    const { dir } = await sealedRun({ config: { signKeyFile: keyFiles(root).privateFile } });
    const manifest = storedDocument(dir, "run.json");
    for (const signature_sha256 of [null, undefined]) {
      writeFileSync(join(dir, "run.json"), JSON.stringify({ ...manifest, signature_sha256 }));
      resealManifest(dir);

      const found = await verified(dir);

      expect(found.exitCode).toBe(5);
      expect(named(found)).toEqual(["provenance.dsse.json disagrees"]);
    }
  });

  it("and leaves the old signature is caught by that", async () => {
    const { dir } = await forged();

    const found = await verified(dir);

    expect(found.exitCode).toBe(5);
    expect(named(found)).toEqual(["provenance.dsse.json disagrees"]);
  });

  it("and signs with a key of his own is caught by the key", async () => {
    const { dir, key } = await forged();
    const own = keyFiles(bench().root);
    const statement = readFileSync(join(dir, "provenance.json"));
    const envelope = signedEnvelope(
      statement,
      signingKeyOf(readFileSync(own.privateFile, "utf8"), "own"),
    );
    const text = JSON.stringify(envelope);
    writeFileSync(join(dir, "provenance.dsse.json"), text);
    const signature_sha256 = createHash("sha256").update(text).digest("hex");
    const manifest = { ...storedDocument(dir, "run.json"), signature_sha256 };
    writeFileSync(join(dir, "run.json"), JSON.stringify(manifest));
    resealManifest(dir);

    expect((await verified(dir)).proved).toEqual(["consistent"]);
    expect(named(await verified(dir, { keyFile: key.publicFile }))).toEqual([
      "provenance.dsse.json unproved",
    ]);
    expect((await verified(dir, { keyFile: own.publicFile })).proved).toContain("signature");
  });
});

describe("what has no digests", () => {
  it("is unverified when the run has not ended", async () => {
    const { dir } = await sealedRun();
    asKilled(dir);

    expect(await verified(dir)).toMatchObject({
      verdict: "unverified",
      proved: [],
      exitCode: 4,
      unverifiedBecause: "the run has not ended",
    });
    const asked = await verified(dir, { digest: `sha256:${"0".repeat(64)}` });
    expect(asked.exitCode).toBe(5);
  });

  it("says of a run that has not ended when it last wrote, and whether its process lives", async () => {
    const { dir } = await sealedRun();
    asKilled(dir);

    const { notes } = await verified(dir);

    expect(notes[0]).toMatch(
      /^last write at 20\d\d-.*Z; process \d+ on ".*", which wrote it, is dead$/,
    );
  });

  it("is unverified with what a kill leaves of its rows, which are counted, and its torn end noted", async () => {
    const { dir } = await sealedRun();
    asKilled(dir);
    cutRows(dir, "trials.jsonl", 3);
    cutRows(dir, "attempts.jsonl", 1);
    appendFileSync(join(dir, "scores.jsonl"), '{"id":"torn');

    const found = await verified(dir);

    expect(found).toMatchObject({ exitCode: 4, problems: [] });
    expect(found.counts).toEqual({ tasks: 2, trials: 1, scores: 4, attempts: 3, evidence: 8 });
    expect(found.notes.join()).toContain("scores.jsonl ends in 11 bytes that are no whole row");
  });

  it.each<[string, string, (text: string) => string, string]>([
    ["a key twice", "trials.jsonl", (text) => text.replace("{", '{"status":"failed",'), "line 1:"],
    ["a line that is no row", "scores.jsonl", (text) => `{"id":"x"}\n${text}`, "scores.jsonl:1"],
    ["a row of no task", "attempts.jsonl", (text) => text.replace('"t1"', '"t9"'), '"t9"'],
    ["a path that climbs out", "evidence.jsonl", (text) => text.replace("evidence/", "../"), "out"],
    ["no plan that can be read", "plan.json", () => "{", "JSON"],
    ["trials without any attempt", "attempts.jsonl", () => "", "it has no attempt at trial"],
  ])("is damaged when it has not ended and holds %s", async (_what, name, change, message) => {
    const { dir } = await sealedRun();
    asKilled(dir);
    writeFileSync(join(dir, name), change(readFileSync(join(dir, name), "utf8")));

    const { exitCode, problems } = await verified(dir);

    expect(exitCode).toBe(5);
    expect(problems.map(({ path, message: text }) => `${path}: ${text}`).join()).toContain(message);
    expect(new Set(problems.map(({ path }) => path))).toEqual(new Set([name]));
  });

  it("is damaged when it has not ended and lacks a file beside others with rows", async () => {
    const { dir } = await sealedRun();
    asKilled(dir);
    rmSync(join(dir, "trials.jsonl"));

    const found = await verified(dir);

    expect(found.exitCode).toBe(5);
    expect(named(found)).toContain("trials.jsonl missing");
  });

  it("is damaged when it has not ended and a file begins other than its last resume found it", async () => {
    const { dir } = await sealedRun();
    asKilled(dir);
    const text = readFileSync(join(dir, "scores.jsonl"));
    const sha256 = createHash("sha256").update(text).digest("hex");
    const checkpoint = { "scores.jsonl": { bytes: text.length, sha256 } };
    const manifest = storedDocument(dir, "run.json");
    writeFileSync(join(dir, "run.json"), JSON.stringify({ ...manifest, checkpoint }));
    resealManifest(dir);
    expect(await verified(dir)).toMatchObject({ exitCode: 4, problems: [] });

    writeFileSync(join(dir, "scores.jsonl"), text.toString("utf8").replace("completed", "failed"));

    const found = await verified(dir);
    expect(found.exitCode).toBe(5);
    expect(named(found)).toContain("scores.jsonl altered");
  });

  it("is damaged when a statement was left that the files contradict: no end of a run leaves that", async () => {
    const { dir } = await sealedRun();
    const statement = readFileSync(join(dir, "provenance.json"));
    asKilled(dir);
    writeFileSync(join(dir, "provenance.json"), statement);
    const trials = readFileSync(join(dir, "trials.jsonl"), "utf8");
    writeFileSync(join(dir, "trials.jsonl"), trials.replace("completed", "partial"));

    const found = await verified(dir);

    expect(found.exitCode).toBe(5);
    expect(found.problems.map(({ path }) => path)).toContain("trials.jsonl");
  });

  it("is damaged when its seal was taken away: its last start is told to have ended", async () => {
    const { dir } = await sealedRun();
    const manifest = storedDocument(dir, "run.json");
    const stripped = { ...manifest, status: "running", provenance_sha256: null };
    writeFileSync(join(dir, "run.json"), JSON.stringify(stripped));
    resealManifest(dir);
    rmSync(join(dir, "provenance.json"));

    const found = await verified(dir);

    expect(found.exitCode).toBe(5);
    expect(found.problems[0]?.message).toContain("that its last start ended at 20");
  });

  it("is unverified when another tool wrote it, and its records are compared", async () => {
    const dir = foreignBundle();

    const found = await verified(dir);

    expect(found).toMatchObject({ verdict: "unverified", exitCode: 4 });
    expect(found.unverifiedBecause).toContain("another tool");
    expect(found.counts?.trials).toBeGreaterThan(0);
    forgeRows(dir, "scores.jsonl", (rows) => rows.map((row) => ({ ...row, trial_id: "x" })));
    expect((await verified(dir)).exitCode).toBe(5);
  });

  it("is damaged when its digests were taken out of run.json", async () => {
    const { dir } = await sealedRun();
    const {
      provenance_sha256: _a,
      schema_version: _b,
      self_digest: _c,
      ...rest
    } = storedDocument(dir, "run.json");
    writeFileSync(join(dir, "run.json"), JSON.stringify(rest));

    const found = await verified(dir);

    expect(found.exitCode).toBe(5);
    expect(found.problems[0]?.message).toContain("it names no provenance.json, and there is one");
  });

  it("is refused when there is no bundle, or what is given is no digest or no key", async () => {
    const { dir, root } = await sealedRun();

    expect(await refusal(() => verified(root))).toMatchObject({
      code: "ASSAY_BUNDLE_NOT_FOUND",
      exitCode: 2,
    });
    expect(await refusal(() => verified(dir, { digest: "sha256:12" }))).toMatchObject({
      exitCode: 2,
    });
    const { privateFile } = keyFiles(root);
    const refused = await refusal(() => verified(dir, { keyFile: privateFile }));
    expect(refused).toMatchObject({ code: "ASSAY_KEY_INVALID", exitCode: 2 });
    expect(existsSync(join(dir, "claim.json"))).toBe(false);
  });
});

it("evidence is verified below a bundle that is reached by a link", async () => {
  const { dir, root } = await sealedRun();
  symlinkSync(dir, join(root, "latest"));

  expect(await verified(join(root, "latest"))).toMatchObject({
    verdict: "verified",
    counts: { evidence: 8 },
  });
});
