import { createHash } from "node:crypto";
import path from "node:path";

import { isBundle } from "../../bundle/enclosing-bundle.ts";
import { bundleFiles } from "../../bundle/layout.ts";
import { BundleReader } from "../../bundle/read-bundle.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { fromWire, parseValue, toWire } from "../../schema/codec.ts";
import { type TrialRecord, trialRecordSchema } from "../../schema/trial.ts";
import { canonicalJson } from "../../support/canonical-json.ts";
import { sha256Hex } from "../../support/digest.ts";
import { heldTrials, type ImportedTrials } from "../imported-trials.ts";
import { noLineage } from "../lineage.ts";
import { identityOfSource, sourceLineage, storedTrials } from "../source-bundle.ts";
import { type RowFile, readRows } from "./read-rows.ts";
import type { ImportSource } from "./suite.ts";

const code = "ASSAY_TRIALS_INVALID";

export interface TrialsOfSuite {
  readonly importedTrials: ImportedTrials | null;
  readonly importedFrom: ImportSource | null;
}

export const noImportedTrials: TrialsOfSuite = { importedTrials: null, importedFrom: null };

/** Imported trials of a suite module. */
export function readTrialDefinitions(rows: readonly unknown[]): TrialsOfSuite {
  return fromRows(
    rows.map((row, index) =>
      parseValue(trialRecordSchema, row, { source: `importedTrials[${index}]`, code }),
    ),
  );
}

/** Imported trials of a YAML or JSON suite. */
export function readTrialSpecs(
  rows: readonly unknown[],
  place: (path: readonly PropertyKey[]) => string,
): TrialsOfSuite {
  return fromRows(
    rows.map((row, index) => {
      const at = (path: readonly PropertyKey[]) => place([index, ...path]);
      return fromWire(trialRecordSchema, row, { source: at([]), place: at, code });
    }),
  );
}

function fromRows(trials: readonly TrialRecord[]): TrialsOfSuite {
  const rows = trials.map((trial) => canonicalJson(toWire(trialRecordSchema, trial)));
  const identity = { sha256: sha256Hex(rows.join("\n")) };
  const importedFrom = { source: "the suite", identity, lineage: noLineage };
  return { importedTrials: heldTrials(trials), importedFrom };
}

/** Imported trials of a file in the form of `trials.jsonl`, or of a bundle: its directory, or the file in it. */
export async function readTrialFile(file: RowFile): Promise<TrialsOfSuite> {
  const { baseDir, files } = file;
  const given = path.resolve(baseDir, file.jsonl);
  const source = path.relative(baseDir, given).split(path.sep).join("/") || ".";
  const dir = path.basename(given) === bundleFiles.trials ? path.dirname(given) : given;
  return (await isBundle(dir, files))
    ? await fromBundle(dir, source, file)
    : await fromFile(source, file);
}

async function fromFile(source: string, file: RowFile): Promise<TrialsOfSuite> {
  const hash = createHash("sha256");
  const trials: TrialRecord[] = [];
  for await (const row of readRows({ ...file, onChunk: (chunk) => hash.update(chunk) })) {
    if ("problem" in row) throw row.problem;
    trials.push(fromWire(trialRecordSchema, row.value, { source: row.place, code }));
  }
  if (trials.length === 0) throw new AssayError(code, `"${file.jsonl}" holds no trial`);
  const identity = { sha256: hash.digest("hex") };
  return {
    importedTrials: heldTrials(trials),
    importedFrom: { source, identity, lineage: noLineage },
  };
}

/** As it is scored again, but by the target of the suite: what is not as it was sealed is refused. */
async function fromBundle(
  dir: string,
  source: string,
  { jsonl, files }: RowFile,
): Promise<TrialsOfSuite> {
  const reader = await BundleReader.open(dir, files);
  if (reader.manifest.status === "running") throw unfinished(jsonl);
  return await reader.reading(async () => {
    const trials = await storedTrials(reader, files);
    const lineage = await sourceLineage(reader, { relation: "imported", tasksLeftOut: 0 });
    await reader.assertUnaltered({ withEvidence: true });
    const importedFrom = { source, identity: identityOfSource(lineage), lineage };
    return { importedTrials: heldTrials(trials), importedFrom };
  });
}

function unfinished(jsonl: string): AssayError {
  return new AssayError(
    "ASSAY_BUNDLE_UNFINISHED",
    `the trials of "${jsonl}" cannot be imported: its run has not ended`,
    { remedy: "Wait for its end, or finish it with `assay run <suite> --resume`." },
  );
}
