import { isUtf8 } from "node:buffer";

import type { Trajectory, TrajectoryFormat } from "../contracts/trajectory.ts";
import { AssayError } from "../errors/assay-error.ts";
import { parseJson } from "../support/json.ts";
import { readAtif } from "./atif.ts";
import { readOtlp } from "./otlp.ts";
import { whyTooMuch } from "./value-bounds.ts";

/** The longest document that is read: twice what a trajectory that Assay writes may take. */
export const maxTrajectoryBytes = 64 * 1024 * 1024;

export interface TrajectorySource {
  readonly format: TrajectoryFormat;
  /** Named first in errors: a file, or the name of the evidence. */
  readonly source: string;
}

/**
 * The view of a trajectory whose JSON is parsed already. OTLP may be one request object, a list of resource spans, or a
 * list of requests. Throws `ASSAY_TRAJECTORY_INVALID` for what is no document of the format.
 */
export function readTrajectory(
  document: unknown,
  { format, source }: TrajectorySource,
): Trajectory {
  return format === "atif" ? readAtif(document, source) : readOtlp(document, source);
}

/**
 * The view of a trajectory from the bytes of its file: one JSON document, or for OTLP also one for each line. Bounded in
 * bytes, nesting and number of values, looked at before anything is parsed. Throws `ASSAY_TRAJECTORY_INVALID`.
 */
export function parseTrajectory(
  bytes: Uint8Array,
  { format, source }: TrajectorySource,
): Trajectory {
  const problem =
    bytes.length > maxTrajectoryBytes
      ? `it has ${bytes.length} bytes, and may have ${maxTrajectoryBytes}`
      : (whyTooMuch(bytes, format === "otlp") ?? (isUtf8(bytes) ? null : "it is no UTF-8"));
  if (problem !== null) throw invalid(source, problem);
  const text = textOf(bytes);
  const document = format === "atif" ? parsed(text, source) : otlpDocuments(text, source);
  return readTrajectory(document, { format, source });
}

/** Without a byte order mark. By a buffer: the decoder of the web takes twice the time. */
function textOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function parsed(text: string, source: string): unknown {
  try {
    return parseJson(text, source);
  } catch (cause) {
    throw invalid(source, "it is not JSON", cause);
  }
}

/** One document, or one for each line that is not blank. */
function otlpDocuments(text: string, source: string): unknown {
  if (text.trim() === "") return [];
  try {
    return parseJson(text, source);
  } catch {
    // More than one document, or a line that is spoilt: the lines tell which.
    return text.split("\n").flatMap((line, index) => {
      if (line.trim() === "") return [];
      return [parsed(line, `${source}, line ${index + 1}`)];
    });
  }
}

function invalid(source: string, problem: string, cause?: unknown): AssayError {
  return new AssayError("ASSAY_TRAJECTORY_INVALID", `${source}: ${problem}`, {
    data: { source },
    ...(cause === undefined ? {} : { cause }),
  });
}
