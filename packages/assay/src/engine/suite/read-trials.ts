import { AssayError } from "../../errors/assay-error.ts";
import { fromWire, parseValue } from "../../schema/codec.ts";
import { type TrialRecord, trialRecordSchema } from "../../schema/trial.ts";
import { type RowFile, readRows } from "./read-rows.ts";

const code = "ASSAY_TRIALS_INVALID";

/** Imported trials of a suite module. */
export function readTrialDefinitions(rows: readonly unknown[]): readonly TrialRecord[] {
  return rows.map((row, index) =>
    parseValue(trialRecordSchema, row, { source: `importedTrials[${index}]`, code }),
  );
}

/** Imported trials of a YAML or JSON suite. */
export function readTrialSpecs(
  rows: readonly unknown[],
  place: (path: readonly PropertyKey[]) => string,
): readonly TrialRecord[] {
  return rows.map((row, index) => {
    const at = (path: readonly PropertyKey[]) => place([index, ...path]);
    return fromWire(trialRecordSchema, row, { source: at([]), place: at, code });
  });
}

/** Imported trials of a file in the form of `trials.jsonl`. */
export async function readTrialFile(file: RowFile): Promise<readonly TrialRecord[]> {
  const trials: TrialRecord[] = [];
  for await (const row of readRows(file)) {
    if ("problem" in row) throw row.problem;
    trials.push(fromWire(trialRecordSchema, row.value, { source: row.place, code }));
  }
  if (trials.length === 0) throw new AssayError(code, `"${file.jsonl}" holds no trial`);
  return trials;
}
