import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { isSignedBy, whyNotOf } from "../../packages/assay/src/provenance/signing/envelope.ts";
import { verifyingKeyOf } from "../../packages/assay/src/provenance/signing/keys.ts";
import type { Envelope } from "../../packages/assay/src/schema/envelope.ts";
import { asKilled, resumable } from "./resume-kit.ts";
import { filesBelow, refusal } from "./run-kit.ts";
import { forgeDocument, forgeRows, verified } from "./verify/verify-kit.ts";

function keyFile(root: string, name = "key.pem") {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const pem = String(privateKey.export({ type: "pkcs8", format: "pem" }));
  const file = join(root, name);
  writeFileSync(file, pem);
  const seed = String(privateKey.export({ format: "jwk" }).d);
  const key = verifyingKeyOf(String(publicKey.export({ type: "spki", format: "pem" })), "k");
  return { file, pem, seed, key };
}

function envelopeOf(dir: string): Envelope {
  return JSON.parse(readFileSync(join(dir, "provenance.dsse.json"), "utf8")) as Envelope;
}

const isSigned = (dir: string) => existsSync(join(dir, "provenance.dsse.json"));

/** Ends after two trials of six. */
function interrupted() {
  const stop = new AbortController();
  let count = 0;
  const run = resumable({
    agent: () => {
      count += 1;
      if (count === 2) stop.abort("SIGINT");
      return "yes";
    },
  });
  return { ...run, stop: stop.signal };
}

describe("a run with a key to sign", () => {
  it("leaves an envelope around its statement, and names it in the manifest", async () => {
    const run = resumable();
    const { file, key } = keyFile(run.root);

    await run.start({ config: { signKeyFile: file } });

    const envelope = envelopeOf(run.workDir);
    expect(whyNotOf(envelope, readFileSync(join(run.workDir, "provenance.json")))).toBeNull();
    expect(isSignedBy(envelope, key)).toBe(true);
    expect(envelope.signatures[0]?.keyid).toBe(key.keyId);
    expect(run.document("run.json")["signature_sha256"]).toMatch(/^[0-9a-f]{64}$/);
  });

  it("writes the private key nowhere, even when the agent tells it", async () => {
    const run = resumable();
    const { file, pem, seed } = keyFile(run.root);
    const body = pem.split("\n")[1] ?? "";
    const agent = () => JSON.stringify({ text: pem, body, seed });

    await run.start({ agent, config: { signKeyFile: file } });

    const stored = filesBelow(run.workDir).map((name) =>
      readFileSync(join(run.workDir, name), "utf8"),
    );
    const told = JSON.stringify(run.events);
    for (const text of [...stored, told]) {
      expect(text).not.toContain(body);
      expect(text).not.toContain(seed);
    }
    expect(stored.join("")).toContain("<redacted>");
  });

  it.each([
    ["is missing", () => {}],
    ["is a public key", (file: string) => writeFileSync(file, publicPem())],
    ["is no key", (file: string) => writeFileSync(file, "hello")],
    ["is enormous", (file: string) => writeFileSync(file, "x".repeat(70_000))],
    ["is a folder", (file: string) => mkdirSync(file)],
  ])("runs nothing when the key %s", async (_what, make) => {
    const run = resumable();
    const file = join(run.root, "key.pem");
    make(file);

    const refused = await refusal(() => run.start({ config: { signKeyFile: file } }));

    expect(refused.exitCode).toBe(2);
    expect(refused.message).toContain("key.pem");
    expect(run.calls).toEqual([]);
    expect(existsSync(run.workDir)).toBe(false);
  });
});

describe("a signed run that goes on", () => {
  it("without the key has no envelope of its earlier statement any more, and says so", async () => {
    const run = interrupted();
    const { file } = keyFile(run.root);
    await run.start({ config: { signKeyFile: file, signal: run.stop } });
    expect(isSigned(run.workDir)).toBe(true);

    await run.resume();

    expect(isSigned(run.workDir)).toBe(false);
    expect(run.document("run.json")["signature_sha256"]).toBeNull();
    expect(run.warnings().join("\n")).toContain("that signature is gone");
  });

  it("with the key is signed anew", async () => {
    const run = interrupted();
    const { file, key } = keyFile(run.root);
    await run.start({ config: { signKeyFile: file, signal: run.stop } });

    await run.resume({ config: { signKeyFile: file } });

    const statement = readFileSync(join(run.workDir, "provenance.json"));
    expect(whyNotOf(envelopeOf(run.workDir), statement)).toBeNull();
    expect(isSignedBy(envelopeOf(run.workDir), key)).toBe(true);
  });

  it("keeps its envelope when nothing is left to do, and takes a new one with a key", async () => {
    const run = resumable();
    const [first, second] = [keyFile(run.root), keyFile(run.root, "second.pem")];
    const { bundleDigest } = await run.start({ config: { signKeyFile: first.file } });

    await run.resume();
    expect(isSignedBy(envelopeOf(run.workDir), first.key)).toBe(true);
    const config = { signKeyFile: second.file, digest: String(bundleDigest) };
    const again = await run.resume({ config });

    expect(isSignedBy(envelopeOf(run.workDir), second.key)).toBe(true);
    expect(again.bundleDigest).toBe(bundleDigest);
  });
});

describe("what an earlier start sealed", () => {
  it.each([
    ["ended", () => resumable()],
    ["was interrupted", () => interrupted()],
  ])("is signed by another key only when its digest is given: it %s", async (_how, make) => {
    const run = make();
    const { file, key } = keyFile(run.root);
    const stop = "stop" in run ? { signal: run.stop as AbortSignal } : {};
    const { bundleDigest } = await run.start({ config: stop });

    const refused = await refusal(() => run.resume({ config: { signKeyFile: file } }));
    expect(refused).toMatchObject({ code: "ASSAY_CONFIG_INVALID", exitCode: 2 });
    expect(refused.message).toContain("vouch for whatever lies there");
    expect(isSigned(run.workDir)).toBe(false);

    await run.resume({ config: { signKeyFile: file, digest: String(bundleDigest) } });
    expect(isSignedBy(envelopeOf(run.workDir), key)).toBe(true);
  });

  it("and was forged as a whole is not signed, with the digest that the run told", async () => {
    const run = resumable();
    const { file } = keyFile(run.root);
    const { bundleDigest } = await run.start();
    forgeRows(run.workDir, "trials.jsonl", (rows) => rows.map((row) => ({ ...row, forged: 1 })));

    const config = { signKeyFile: file, digest: String(bundleDigest) };
    expect(await refusal(() => run.resume({ config }))).toMatchObject({ exitCode: 5 });
    expect(isSigned(run.workDir)).toBe(false);
  });

  it("and contradicts itself is not signed, whoever gives its digest", async () => {
    const run = resumable();
    const { file } = keyFile(run.root);
    await run.start();
    forgeDocument(run.workDir, "metadata.json", (wire: object) => ({
      ...wire,
      labels: { a: "b" },
    }));
    const { bundleDigest } = await verified(run.workDir);

    const config = { signKeyFile: file, digest: String(bundleDigest) };
    const refused = await refusal(() => run.resume({ config }));

    expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exitCode: 5 });
    expect(refused.message).toContain("metadata.json");
    expect(isSigned(run.workDir)).toBe(false);
  });

  it("and was killed is signed when it is whole", async () => {
    const run = resumable();
    const { file, key } = keyFile(run.root);
    await run.start();
    asKilled(run.workDir);

    await run.resume({ config: { signKeyFile: file } });

    expect(isSignedBy(envelopeOf(run.workDir), key)).toBe(true);
    expect((await verified(run.workDir)).exitCode).toBe(0);
  });

  it("and is made to look killed is not resumed", async () => {
    const run = resumable();
    await run.start();
    const statement = readFileSync(join(run.workDir, "provenance.json"));
    asKilled(run.workDir);
    writeFileSync(join(run.workDir, "provenance.json"), statement);

    const refused = await refusal(() => run.resume());

    expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_DAMAGED", exitCode: 5 });
    expect(refused.message).toContain("summary.json");
  });
});

it("a digest means nothing for a new run", async () => {
  const run = resumable();

  const refused = await refusal(() =>
    run.start({ config: { digest: `sha256:${"0".repeat(64)}` } }),
  );

  expect(refused).toMatchObject({ code: "ASSAY_CONFIG_INVALID", exitCode: 2 });
});

it("a directory that holds nothing but somebody's envelope takes no run", async () => {
  const run = resumable();
  mkdirSync(run.workDir);
  writeFileSync(join(run.workDir, "provenance.dsse.json"), "{}");

  expect(await refusal(() => run.start())).toMatchObject({ code: "ASSAY_OUTPUT_EXISTS" });
});

function publicPem(): string {
  return String(generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }));
}
