import { type Diagnostic, type ScoreRecord, scoreRecordSchema } from "../../schema/score.ts";
import {
  cutToBytes,
  isWithin,
  oversized,
  remnantOf,
  rowBounds,
  sizeOf,
  sizeText,
} from "./bounds.ts";
import type { RowKind } from "./clean-row.ts";

/** How the row of a score is kept within its bounds. */
export const scoreRow: RowKind<ScoreRecord> = {
  schema: scoreRecordSchema,
  hasBoundedTexts: hasBoundedMessages,
  bound: boundScore,
};

function hasBoundedMessages({ diagnostics }: ScoreRecord): boolean {
  return diagnostics.every(({ message }) => isWithin(message, rowBounds.errorText));
}

/** A score whose row can be read again. Outputs that are too large make it a failed one, which says so. */
function boundScore(score: ScoreRecord): ScoreRecord {
  const diagnostics = score.diagnostics.map(withShortMessage);
  const { outputs, metadata } = score;
  const over = oversized({ outputs, diagnostics, metadata });
  const lostBytes = over.get("outputs");
  const kept = over.has("diagnostics") ? remnants(diagnostics) : diagnostics;
  return {
    ...score,
    ...(lostBytes === undefined ? {} : { status: "failed", outputs: [] }),
    diagnostics:
      lostBytes === undefined ? kept : [tooLargeOutputs(score.metricType, lostBytes), ...kept],
    metadata: over.has("metadata") ? remnantOf(metadata) : metadata,
  };
}

function withShortMessage(diagnostic: Diagnostic): Diagnostic {
  return { ...diagnostic, message: cutToBytes(diagnostic.message, rowBounds.errorText) };
}

function tooLargeOutputs(source: string, bytes: number): Diagnostic {
  return {
    severity: "error",
    message: `the outputs take ${sizeText(bytes)} as JSON and were left out: all data of a score may take ${sizeText(rowBounds.data)}`,
    source,
    details: { exception_type: "OutputTooLarge" },
  };
}

/** The first diagnostics, as many as there is room for, and how many more there were. */
function remnants(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const kept: Diagnostic[] = [];
  let bytes = 0;
  for (const diagnostic of diagnostics) {
    const small = { ...diagnostic, details: remnantOf(diagnostic.details) };
    bytes += sizeOf(small);
    if (bytes > rowBounds.remnant * 2) break;
    kept.push(small);
  }
  const missing = diagnostics.length - kept.length;
  if (missing === 0) return kept;
  const message = `${missing} more diagnostics were left out: there was no room for them`;
  return [...kept, { severity: "warning", message, source: null, details: {} }];
}
