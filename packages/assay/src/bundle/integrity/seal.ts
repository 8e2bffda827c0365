import { z } from "zod";

import { AssayError, messageOf } from "../../errors/assay-error.ts";
import type { Manifest } from "../../schema/manifest.ts";
import { provenanceStatementSchema } from "../../schema/provenance.ts";
import { sha256Hex } from "../../support/digest.ts";
import { isPlainObject, type JsonObject } from "../../support/json.ts";
import { decodeRecord, documentOf } from "../decode-files.ts";
import { bundleFiles } from "../layout.ts";
import { selfDigest } from "../manifest.ts";
import { damageError, sha256Text } from "./file-damage.ts";

/** What a sealed bundle says of its own files. */
export interface Seal {
  /** `sha256:<hex>` of provenance.json: the digest of the bundle. */
  readonly digest: string;
  /** provenance.json as it is stored. */
  readonly statement: JsonObject;
  /** SHA-256 in hex of each data file, by name. */
  readonly subjects: ReadonlyMap<string, string>;
}

/** The part of a statement that verifying needs, whatever version of Assay wrote the rest. */
const sealedFactsSchema = z.looseObject({
  subject: provenanceStatementSchema.shape.subject,
  predicate: z.looseObject({ run: z.looseObject({ id: z.string(), status: z.string() }) }),
});

/** Why a bundle has no digests, so that nothing of it can be verified; null when it has. */
export function whyUnsealed({ status, provenanceSha256, schemaVersion }: Manifest): string | null {
  if (status === "running") return "the run has not ended";
  if (typeof provenanceSha256 === "string") return null;
  return schemaVersion === undefined
    ? "the bundle was written by another tool"
    : "the run ended before its provenance was written";
}

/**
 * Throws `ASSAY_BUNDLE_DAMAGED` when run.json is not what its own digest says, before anything else is made of it. Other
 * writers give it none.
 */
export function checkManifest(dir: string, wire: unknown): void {
  if (!isPlainObject(wire)) return;
  const { self_digest: expected, schema_version: version } = wire;
  if (expected === undefined && version === undefined) return;
  const found = selfDigestOf(wire as JsonObject);
  if (found === expected) return;
  const text = typeof expected === "string" ? expected : "a self_digest";
  throw damageError(dir, [{ path: bundleFiles.manifest, expected: text, found }]);
}

/** What has no digest was not written by Assay. */
function selfDigestOf(wire: JsonObject): string {
  try {
    return selfDigest(wire);
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/**
 * Reads the digests of a bundle out of provenance.json. Throws `ASSAY_BUNDLE_DAMAGED` when run.json names another
 * digest of it, or when the two are not about the same run.
 */
export function sealOf(dir: string, manifest: Manifest, bytes: Uint8Array): Seal {
  const name = bundleFiles.provenance;
  const [expected, found] = [String(manifest.provenanceSha256), sha256Hex(bytes)];
  if (found !== expected) {
    const damage = { path: name, expected: sha256Text(expected), found: sha256Text(found) };
    throw damageError(dir, [damage]);
  }
  const { run, ...seal } = readSeal(dir, bytes);
  checkSameRun(dir, manifest, run);
  return seal;
}

interface ReadSeal extends Seal {
  readonly run: z.output<typeof sealedFactsSchema>["predicate"]["run"];
}

/** The digests in the bytes of a provenance.json, whatever other files say. Throws `ASSAY_BUNDLE_DAMAGED`. */
export function readSeal(dir: string, bytes: Uint8Array): ReadSeal {
  const name = bundleFiles.provenance;
  const statement = documentOf(bytes, name);
  const { subject, predicate } = decodeRecord(sealedFactsSchema, statement, name);
  const stray = subject.find((one) => !/^[\w-][\w.-]*$/.test(one.name));
  if (stray !== undefined) {
    const problem = `${name} names ${JSON.stringify(stray.name)}, which is no data file of a bundle`;
    throw new AssayError("ASSAY_BUNDLE_DAMAGED", problem, { data: { path: dir } });
  }
  return {
    run: predicate.run,
    digest: sha256Text(sha256Hex(bytes)),
    statement: statement as JsonObject,
    subjects: new Map(subject.map(({ name, digest }) => [name, digest.sha256])),
  };
}

/** No digest covers run.json but its own, which whoever changes it can make anew. */
function checkSameRun(
  dir: string,
  { runId, status }: Manifest,
  run: { readonly id: string; readonly status: string },
): void {
  if (runId === run.id && status === run.status) return;
  const [expected, found] = [
    `run "${run.id}", ${run.status}`,
    `run "${runId}", ${status ?? "without a status"}`,
  ];
  throw damageError(dir, [{ path: bundleFiles.manifest, expected, found }]);
}
