import { AssayError } from "../../errors/assay-error.ts";

/**
 * The error of a metric whose input the trial lacks. On a trial that did not end well it gives the declared `absent`
 * values; on any other it is a failure of the metric.
 */
export function inputAbsent(type: string, problem: string): AssayError {
  return new AssayError("ASSAY_METRIC_FAILED", `metric "${type}": ${problem}`, {
    data: { metric: type, isInputAbsent: true },
    remedy:
      "Check what the runner gives: `assay show` lists the output and evidence of each trial.",
  });
}
