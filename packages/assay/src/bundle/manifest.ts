import path from "node:path";

import type { Clock } from "../contracts/clock.ts";
import type { FileStore } from "../contracts/files.ts";
import type { Redactor } from "../contracts/redactor.ts";
import { toWire } from "../schema/codec.ts";
import type { Invocation } from "../schema/invocation.ts";
import {
  bundleFormatVersion,
  type Manifest,
  manifestSchema,
  type RunStatus,
} from "../schema/manifest.ts";
import { canonicalJson } from "../support/canonical-json.ts";
import { sha256Hex } from "../support/digest.ts";
import { formatDocument, type JsonObject, type JsonValue, parseJson } from "../support/json.ts";
import { formatInstant } from "../support/timestamps.ts";
import { type BundleFile, bundleFiles } from "./layout.ts";
import { redactRecord } from "./redact-record.ts";

export interface ManifestFacts {
  readonly runId: string;
  readonly status: RunStatus;
  readonly statusCause: string | null;
  readonly provenanceSha256: string | null;
  /** Of the envelope; null when it is not signed. */
  readonly signatureSha256?: string | null;
  readonly invocations: Invocation[];
  readonly checkpoint?: Checkpoint;
  readonly token: string;
}

/** What a file held at some time, by its name. */
export type Checkpoint = NonNullable<Manifest["checkpoint"]>;

export interface ManifestTools {
  readonly files: FileStore;
  readonly clock: Clock;
  readonly redactor: Redactor;
}

/** Writes `run.json`: the first file of a run and the last. */
export async function writeManifest(
  dir: string,
  facts: ManifestFacts,
  { files, clock, redactor }: ManifestTools,
): Promise<void> {
  const { token: runToken, ...rest } = facts;
  const manifest: Manifest & { run_token: string } = {
    ...redactRecord(manifestSchema, rest, redactor),
    artifacts: artifacts(),
    outputDir: ".",
    dashboardPath: null,
    schemaVersion: bundleFormatVersion,
    updatedAt: formatInstant(clock.now()),
    run_token: runToken,
  };
  await writeDocument(dir, toWire(manifestSchema, manifest) as JsonObject, files);
}

/** Changes keys of `run.json` in the wire form, and leaves all others; undefined takes one away. */
export async function amendManifest(
  dir: string,
  files: FileStore,
  changes: Readonly<Record<string, JsonValue | undefined>>,
): Promise<void> {
  const text = await files.readText(path.join(dir, bundleFiles.manifest));
  const wire = { ...(parseJson(text, bundleFiles.manifest) as JsonObject), ...changes };
  const kept = Object.entries(wire).filter(([, value]) => value !== undefined);
  await writeDocument(dir, Object.fromEntries(kept) as JsonObject, files);
}

async function writeDocument(dir: string, wire: JsonObject, files: FileStore): Promise<void> {
  const document = { ...wire, self_digest: selfDigest(wire) };
  await files.writeAtomic(path.join(dir, bundleFiles.manifest), formatDocument(document));
}

/** Digest of the document without its own `self_digest`. */
export function selfDigest(document: JsonObject): string {
  const { self_digest: _own, ...rest } = document;
  return `sha256:${sha256Hex(canonicalJson(rest))}`;
}

function artifacts(): Record<string, string> {
  const roles = (Object.keys(bundleFiles) as BundleFile[]).filter((role) => role !== "manifest");
  return Object.fromEntries(roles.map((role) => [role, bundleFiles[role]]));
}
