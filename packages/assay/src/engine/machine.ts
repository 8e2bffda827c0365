import type { CleanReport } from "./inspect/clean.ts";
import type { MetricDescription } from "./inspect/describe-metrics.ts";
import type { RunnerDescription } from "./inspect/describe-runners.ts";
import type { DoctorReport } from "./inspect/doctor.ts";
import type { EvaluatorOptions } from "./node-engine.ts";

// Each loads what it needs when it is called.

/** What is installed on this machine: tools, versions, what each shipped runner misses. */
export async function doctor(
  options: EvaluatorOptions & { readonly variables?: readonly string[] } = {},
): Promise<DoctorReport> {
  const [{ nodeEngine }, { doctor: examine }, { runnerMap }] = await Promise.all([
    import("./node-engine.ts"),
    import("./inspect/doctor.ts"),
    import("../runners/map.ts"),
  ]);
  return await examine(await nodeEngine(options), runnerMap, options.variables ?? []);
}

/** Ends the processes of dead runs, removes their scratch directories and containers; live runs are not touched. */
export async function cleanScratch(
  options: EvaluatorOptions & { readonly isDryRun?: boolean } = {},
): Promise<CleanReport> {
  const [{ nodeEngine }, { cleanScratch: clean }, { cleanContainers }] = await Promise.all([
    import("./node-engine.ts"),
    import("./inspect/clean.ts"),
    import("./inspect/clean-containers.ts"),
  ]);
  const platform = await nodeEngine(options);
  const { isDryRun = false } = options;
  // The processes first: what makes a container may be one of them.
  const report = await clean(platform, { isDryRun });
  return { ...report, containers: await cleanContainers(platform, { isDryRun }) };
}

/** Every shipped runner with its options, their roles and defaults. */
export async function describeRunners(): Promise<RunnerDescription[]> {
  const [{ describeRunners: describe }, { runnerMap }] = await Promise.all([
    import("./inspect/describe-runners.ts"),
    import("../runners/map.ts"),
  ]);
  return await describe(runnerMap);
}

/** Every built-in metric with the JSON Schema of its settings. */
export async function describeMetrics(): Promise<MetricDescription[]> {
  const [{ describeMetrics: describe }, { metrics }] = await Promise.all([
    import("./inspect/describe-metrics.ts"),
    import("../metrics/map.ts"),
  ]);
  return await describe(metrics);
}

/** The version of this Assay. */
export async function assayVersion(): Promise<string> {
  const [{ readAssayVersion }, { nodeFileStore }] = await Promise.all([
    import("./version.ts"),
    import("../platform/files/node-file-store.ts"),
  ]);
  return await readAssayVersion(nodeFileStore);
}
