import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BundleVerification, type VerifyOptions, verifyBundle } from "assay/bundle";

import type { JsonObject } from "../../../packages/assay/src/support/json.ts";
import { reseal } from "../../support/reseal.ts";
import {
  completed,
  constant,
  places,
  runner,
  runTarget,
  storedDocument,
  tasks,
} from "../run-kit.ts";

/** Each trial leaves a folder with a file and a link to it. */
export const leavesFiles = runner(async function* (plan, { scratch }) {
  for (const { taskId, trialIndex } of places(plan)) {
    const workspace = join(scratch, `${taskId}-${trialIndex}`);
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(workspace, "out.txt"), `made by ${taskId}`);
    symlinkSync("out.txt", join(workspace, "link"));
    const blank = { data: null, description: null, metadata: {}, format: "dir" };
    const descriptors = { final_state: { kind: "filesystem", ref: workspace, ...blank } };
    yield completed(taskId, trialIndex, { evidence: { descriptors, metadata: {} } });
  }
});

export function keyFiles(root: string, name = "key") {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const [privateFile, publicFile] = [join(root, `${name}.pem`), join(root, `${name}.pub.pem`)];
  writeFileSync(privateFile, privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(publicFile, publicKey.export({ type: "spki", format: "pem" }));
  return { privateFile, publicFile, privateKey };
}

/** A whole run of two tasks, two trials each, with evidence; signed when a key is given. */
export async function sealedRun(config: Parameters<typeof runTarget>[1] = {}) {
  const {
    workDir: dir,
    root,
    result,
    evaluator,
  } = await runTarget(leavesFiles, {
    tasks: tasks(2),
    metrics: [constant()],
    ...config,
    config: { trialsPerTask: 2, ...config.config },
  });
  return { dir, root, evaluator, digest: result.bundleDigest };
}

export async function verified(dir: string, options: VerifyOptions = {}) {
  return await verifyBundle(dir, { env: {}, ...options });
}

/** `path kind` of each problem. */
export function named({ problems }: BundleVerification): string[] {
  return problems.map(({ path, kind }) => `${path} ${kind}`).sort();
}

/** Changes a document and makes all digests anew, as a forger would. */
export function forgeDocument(dir: string, name: string, change: (wire: never) => unknown): void {
  const wire = storedDocument(dir, name);
  writeFileSync(join(dir, name), `${JSON.stringify(change(wire as never) ?? wire)}\n`);
  reseal(dir);
}

/** The same for the rows of a file. */
export function forgeRows(
  dir: string,
  name: string,
  change: (rows: JsonObject[]) => readonly JsonObject[],
): void {
  const rows = readFileSync(join(dir, name), "utf8").trim().split("\n");
  const changed = change(rows.filter((row) => row !== "").map((row) => JSON.parse(row)));
  writeFileSync(join(dir, name), changed.map((row) => `${JSON.stringify(row)}\n`).join(""));
  reseal(dir);
}

/** The same for its text. */
export function forgeText(dir: string, name: string, change: (text: string) => string | Buffer) {
  writeFileSync(join(dir, name), change(readFileSync(join(dir, name), "utf8")));
  reseal(dir);
}
