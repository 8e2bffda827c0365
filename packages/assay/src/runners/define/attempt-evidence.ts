import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import type { EvidenceDescriptor, EvidenceSet } from "../../schema/evidence.ts";
import type { AttemptRecorder } from "./attempt-recorder.ts";
import type { TrajectorySession } from "./trajectory.ts";

type Descriptors = Readonly<Record<string, EvidenceDescriptor>>;

export interface Collection {
  readonly files: FileStore;
  /** What the draft named; it wins over what the runner added before. */
  readonly drafted: Descriptors | undefined;
  readonly session: () => TrajectorySession;
}

export interface Collected {
  readonly evidence: EvidenceSet | null;
  readonly failure: { readonly thrown: unknown } | null;
}

/** The evidence of the attempt: what the runner added, its log, its trajectory. What was there before a failure is kept. */
export async function collectEvidence(
  recorder: AttemptRecorder,
  collection: Collection,
): Promise<Collected> {
  const named = { ...recorder.descriptors, ...collection.drafted };
  try {
    const written = await writeRecords(recorder, named, collection);
    return { evidence: setOf({ ...named, ...written }), failure: null };
  } catch (thrown) {
    return { evidence: setOf(named), failure: { thrown } };
  }
}

async function writeRecords(
  recorder: AttemptRecorder,
  named: Descriptors,
  { files, session }: Collection,
): Promise<Descriptors> {
  const written: Record<string, EvidenceDescriptor> = {};
  if (!recorder.log.isEmpty && !Object.hasOwn(named, "logs")) {
    const folder = path.join(await recorder.directory(), "logs");
    await files.makePrivateDirectory(folder);
    await files.writeAtomic(path.join(folder, "agent.jsonl"), recorder.log.format());
    const metadata = { primary_log: "agent.jsonl" };
    written["logs"] = { ...blank, kind: "logs", format: "dir", ref: folder, metadata };
  }
  if (!recorder.trajectory.isEmpty && !Object.hasOwn(named, "trace")) {
    const file = path.join(await recorder.directory(), "trajectory.atif.json");
    await files.writeAtomic(file, recorder.trajectory.format(session()));
    written["trace"] = { ...blank, kind: "trace", format: "atif", ref: file };
  }
  return written;
}

const blank = { data: null, description: null, metadata: {} };

function setOf(descriptors: Descriptors): EvidenceSet | null {
  return Object.keys(descriptors).length === 0 ? null : { descriptors, metadata: {} };
}
