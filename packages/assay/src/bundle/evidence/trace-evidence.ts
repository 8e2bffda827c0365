import type { Evidence } from "../../contracts/evidence.ts";
import type { Trajectory, TrajectoryFormat } from "../../contracts/trajectory.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { EvidenceDescriptor } from "../../schema/evidence.ts";
import {
  maxTrajectoryBytes,
  parseTrajectory,
  readTrajectory,
} from "../../trajectory/read-trajectory.ts";
import { openLocalFile, type RefContext } from "./local-ref.ts";

export interface FoundTrace {
  readonly name: string;
  readonly descriptor: EvidenceDescriptor;
  readonly format: TrajectoryFormat;
}

/** The evidence that holds a trajectory. What format it is in, its descriptor alone says, never its name. */
export function findTrace(
  { get, names, require }: Pick<Evidence, "get" | "names" | "require">,
  name: string,
  format: TrajectoryFormat | undefined,
): FoundTrace {
  if (format === undefined) {
    const descriptor = require(name, "trace");
    const declared = formatOf(descriptor);
    if (declared !== null) return { name, descriptor, format: declared };
    const problem = `is in the format ${JSON.stringify(descriptor.format)}, not in atif or otlp`;
    throw unavailable(name, problem, { format: descriptor.format });
  }
  for (const candidate of [name, `${name}:${format}`]) {
    const descriptor = get(candidate);
    if (descriptor?.kind === "trace" && formatOf(descriptor) === format)
      return { name: candidate, descriptor, format };
  }
  const known = names("trace").map((other) => `${other} (${get(other)?.format ?? "atif"})`);
  const list = known.length === 0 ? "there is none" : `there is: ${known.join(", ")}`;
  const problem = `does not hold a trajectory in the format ${format}; of kind trace ${list}`;
  throw unavailable(name, problem, { isInputAbsent: true });
}

function formatOf({ format }: EvidenceDescriptor): TrajectoryFormat | null {
  if (format === null || format === "atif") return "atif";
  return format === "otlp" ? format : null;
}

function unavailable(name: string, problem: string, data: Record<string, string | boolean | null>) {
  const message = `evidence "${name}" ${problem}`;
  return new AssayError("ASSAY_EVIDENCE_UNAVAILABLE", message, { data: { name, ...data } });
}

/** What is inline wins over what lies in a file. */
export async function readTrace(
  { name, descriptor, format }: FoundTrace,
  context: RefContext,
): Promise<Trajectory> {
  const source = `evidence "${name}"`;
  if (descriptor.data !== null) return readTrajectory(descriptor.data, { format, source });
  const path = await openLocalFile(name, descriptor.ref, context);
  const bytes = await context.files.readRegular(path, { maxBytes: maxTrajectoryBytes });
  return parseTrajectory(bytes, { format, source });
}
