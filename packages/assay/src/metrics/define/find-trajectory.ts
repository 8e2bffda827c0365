import { z } from "zod";

import type { Evidence } from "../../contracts/evidence.ts";
import type { MetricContext, MetricDiagnostic } from "../../contracts/metric.ts";
import type { Trajectory, TrajectoryFormat } from "../../contracts/trajectory.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";

/** The setting of metrics that read a trajectory. */
export const traceEvidenceSetting = z
  .string()
  .min(1)
  .default("trace")
  .describe("Which evidence holds the trajectory.");

export interface FoundTrajectory {
  /** Null when none could be read, in any of the formats. */
  readonly trajectory: Trajectory | null;
  /** Which one was read, or why none was; and each that is there and is spoilt. */
  readonly diagnostics: readonly MetricDiagnostic[];
}

/** The first readable trajectory, in the order of the formats. One that cannot be read is no failure of the metric. */
export async function findTrajectory(
  evidence: Evidence,
  name: string,
  formats: readonly TrajectoryFormat[],
  { signal }: Pick<MetricContext, "signal">,
): Promise<FoundTrajectory> {
  const spoilt: MetricDiagnostic[] = [];
  const absent: string[] = [];
  for (const format of formats) {
    try {
      const trajectory = await evidence.trajectory(name, format);
      return { trajectory, diagnostics: [...spoilt, readNote(name, format)] };
    } catch (thrown) {
      signal.throwIfAborted();
      if (isAbsent(thrown)) absent.push(messageOf(thrown));
      else spoilt.push({ severity: "warning", message: messageOf(thrown) });
    }
  }
  const [message] = absent;
  const none: MetricDiagnostic[] =
    spoilt.length > 0 || message === undefined ? [] : [{ severity: "warning", message }];
  return { trajectory: null, diagnostics: [...spoilt, ...none] };
}

function readNote(name: string, format: TrajectoryFormat): MetricDiagnostic {
  return {
    severity: "info",
    message: `read the trajectory "${name}" in the format ${format}`,
    details: { trace_evidence: name, trace_format: format },
  };
}

function isAbsent(thrown: unknown): boolean {
  return AssayError.isInstance(thrown) && thrown.data["isInputAbsent"] === true;
}
