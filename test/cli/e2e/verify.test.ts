import { generateKeyPairSync } from "node:crypto";
import { readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { assay, folder, suiteText } from "./assay-process.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const files = {
  "s.eval.ts": suiteText({ ids: ["a", "b"] }),
  "key.pem": String(privateKey.export({ type: "pkcs8", format: "pem" })),
  "key.pub.pem": String(publicKey.export({ type: "spki", format: "pem" })),
};
const lastLine = (text: string) => text.trimEnd().split("\n").at(-1) ?? "";

async function signedRun() {
  const cwd = folder(files);
  const run = await assay(["run", "s.eval.ts", "--out", "o", "--sign-key", "key.pem"], { cwd });
  expect(run.exitCode).toBe(0);
  return { cwd, digest: lastLine(run.stdout) };
}

describe("assay verify", () => {
  it("says first what was proved, within 80 columns, and the digest last", async () => {
    const { cwd, digest } = await signedRun();
    const verify = (...args: string[]) => assay(["verify", "o", ...args], { cwd });

    const alone = await verify();
    const all = await verify("--digest", digest, "--key", "key.pub.pem");

    expect(alone).toMatchObject({ exitCode: 0, stderr: "" });
    const [first] = alone.stdout.split("\n");
    expect(first).toBe("VERIFIED: consistent; who made it is not proved without --digest or --key");
    expect(alone.stdout).toMatch(/^signed {4}not checked; it names$/m);
    expect(lastLine(alone.stdout)).toBe(digest);
    expect(all.exitCode).toBe(0);
    expect(all.stdout).toMatch(
      /^VERIFIED: consistent, equal to the digest given, signed by the key given\n\n/,
    );
    expect(all.stdout).toContain("checked   2 tasks, 2 trials, 2 scores, 2 attempts, 0 files of");
    const lines = [...alone.stdout.split("\n"), ...all.stdout.split("\n")];
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it("names what was altered, is missing and was added, by file, with exit code 5", async () => {
    const { cwd } = await signedRun();
    const file = join(cwd, "o/trials.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace('"yes"', '"no!"'));
    unlinkSync(join(cwd, "o/plan.json"));
    writeFileSync(join(cwd, "o/new\u001b[2J.txt"), "");

    const { exitCode, stdout } = await assay(["verify", "o"], { cwd });

    expect(exitCode).toBe(5);
    expect(stdout).toMatch(/^DAMAGED: 3 problems in 3 files\n/);
    expect(stdout).toMatch(/\n\ntrials\.jsonl\n {2}altered: expected\n? +sha256:/);
    expect(stdout).toMatch(/\n\nplan\.json\n {2}missing: expected/);
    expect(stdout).toContain("\n\nnew\\x1b[2J.txt\n  added: no record names this file\n");
  });

  it("gives the same as one JSON document", async () => {
    const { cwd, digest } = await signedRun();
    const other = `sha256:${"0".repeat(64)}`;

    const good = await assay(["verify", "o", "--json"], { cwd });
    const bad = await assay(["verify", "o", "--json", "--digest", other], { cwd });

    expect(JSON.parse(good.stdout)).toMatchObject({
      verdict: "verified",
      proved: ["consistent"],
      bundle_digest: digest,
      exit_code: 0,
    });
    expect(bad.exitCode).toBe(5);
    expect(JSON.parse(bad.stdout)).toMatchObject({
      verdict: "damaged",
      problems: [{ path: ".", kind: "unproved" }],
    });
  });

  it.each([
    [["o", "--key", "key.pem"], "it is a private key"],
    [["o", "--key", "none.pem"], "none.pem"],
    [["o", "--digest", "abc"], "no digest of a bundle"],
    [["nowhere"], "there is no bundle"],
  ])("%j is wrong input", async (args, problem) => {
    const { cwd } = await signedRun();

    const { exitCode, stderr } = await assay(["verify", ...args], { cwd });

    expect(exitCode).toBe(2);
    expect(stderr).toContain(problem);
  });
});

it.each([["key.pub.pem"], ["none.pem"], ["s.eval.ts"]])(
  "assay run --sign-key %s runs nothing",
  async (key) => {
    const cwd = folder({
      ...files,
      "s.eval.ts": suiteText({ agent: `async () => { throw new Error("it ran"); }` }),
    });

    const run = await assay(["run", "s.eval.ts", "--out", "o", "--sign-key", key], { cwd });

    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain(key);
    expect(run.stderr).not.toContain("it ran");
    expect((await assay(["show", "o"], { cwd })).exitCode).toBe(2);
  },
);
