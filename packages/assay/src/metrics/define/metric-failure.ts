import { AssayError, type AssayErrorOptions } from "../../errors/assay-error.ts";

/** The error of a metric that cannot measure a trial; `problem` follows its name. */
export function metricFailure(
  type: string,
  problem: string,
  { data, ...options }: AssayErrorOptions = {},
): AssayError {
  return new AssayError("ASSAY_METRIC_FAILED", `metric "${type}"${problem}`, {
    data: { metric: type, ...data },
    ...options,
  });
}

/**
 * The error of a metric whose input the trial lacks. On a trial that did not end well it gives the declared `absent`
 * values; on any other it is a failure of the metric.
 */
export function inputAbsent(type: string, problem: string): AssayError {
  return metricFailure(type, `: ${problem}`, {
    data: { isInputAbsent: true },
    remedy:
      "Check what the runner gives: `assay show` lists the output and evidence of each trial.",
  });
}
