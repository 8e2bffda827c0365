import { metrics } from "../metrics/map.ts";
import { nodeFileStore } from "../platform/files/node-file-store.ts";
import { runnerMap } from "../runners/map.ts";
import { type CleanReport, cleanScratch as clean } from "./inspect/clean.ts";
import {
  describeMetrics as describeAll,
  type MetricDescription,
} from "./inspect/describe-metrics.ts";
import { describeRunners as describe, type RunnerDescription } from "./inspect/describe-runners.ts";
import { type DoctorReport, doctor as examine } from "./inspect/doctor.ts";
import { type EvaluatorOptions, nodeEngine } from "./node-engine.ts";
import { readAssayVersion } from "./version.ts";

/** What is installed on this machine: tools, versions, what each shipped runner misses. */
export async function doctor(
  options: EvaluatorOptions & { readonly variables?: readonly string[] } = {},
): Promise<DoctorReport> {
  return await examine(await nodeEngine(options), runnerMap, options.variables ?? []);
}

/** Ends the processes of dead runs and removes their scratch directories; live runs are not touched. */
export async function cleanScratch(
  options: EvaluatorOptions & { readonly isDryRun?: boolean } = {},
): Promise<CleanReport> {
  return await clean(await nodeEngine(options), { isDryRun: options.isDryRun ?? false });
}

/** Every shipped runner with its options, their roles and defaults. */
export async function describeRunners(): Promise<RunnerDescription[]> {
  return await describe(runnerMap);
}

/** Every built-in metric with the JSON Schema of its settings. */
export async function describeMetrics(): Promise<MetricDescription[]> {
  return await describeAll(metrics);
}

/** The version of this Assay. */
export async function assayVersion(): Promise<string> {
  return await readAssayVersion(nodeFileStore);
}
