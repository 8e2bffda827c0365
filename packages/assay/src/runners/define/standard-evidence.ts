import { basename } from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import type { EvidenceDescriptor } from "../../schema/evidence.ts";
import type { JsonObject } from "../../support/json.ts";

export interface StandardEvidence {
  readonly logsDir: string;
  readonly finalStateDir: string;
  /** The file need not exist. */
  readonly tracePath?: string | null;
  /** Default: `atif` for a file named so, else `json`. */
  readonly traceFormat?: string | null;
  /** A path or a URI, kept as it is. */
  readonly initialStateRef?: string | null;
  /** Named only when it exists. */
  readonly verifierLogsDir?: string | null;
  readonly primaryLog?: string | null;
}

/** The evidence that runners leave under the names everybody knows, in their fixed order. */
export async function standardEvidenceDescriptors(
  given: StandardEvidence,
  files: Pick<FileStore, "stat">,
): Promise<Readonly<Record<string, EvidenceDescriptor>>> {
  const { initialStateRef, tracePath, verifierLogsDir, primaryLog } = given;
  const hasVerifierLogs =
    isGiven(verifierLogsDir) && (await files.stat(verifierLogsDir))?.kind === "directory";
  const logFacts = isGiven(primaryLog) ? { primary_log: primaryLog } : {};
  return {
    ...(isGiven(initialStateRef) && {
      initial_state: directory("filesystem", initialStateRef, { role: "initial_state" }),
    }),
    ...(isGiven(tracePath) && { trace: traceDescriptor(tracePath, given.traceFormat ?? null) }),
    logs: directory("logs", given.logsDir, logFacts),
    final_state: directory("filesystem", given.finalStateDir, { role: "final_state" }),
    ...(hasVerifierLogs && {
      verifier_logs: directory("logs", verifierLogsDir, { role: "verifier" }),
    }),
  };
}

function isGiven(text: string | null | undefined): text is string {
  return text !== undefined && text !== null && text !== "";
}

function directory(kind: string, ref: string, metadata: JsonObject): EvidenceDescriptor {
  return { kind, ref, format: "dir", data: null, description: null, metadata };
}

function traceDescriptor(ref: string, format: string | null): EvidenceDescriptor {
  const name = basename(ref).toLowerCase();
  const isAtif = name.startsWith("atif") || name.includes(".atif.");
  return {
    kind: "trace",
    ref,
    format: format ?? (isAtif ? "atif" : "json"),
    data: null,
    description: null,
    metadata: {},
  };
}
