import { metricFromConfig } from "../metrics/map.ts";
import { nodeFileStore } from "../platform/files/node-file-store.ts";
import { nodeModuleWatch } from "../platform/modules/node-module-watch.ts";
import { type RunnerMap, runnerMap } from "../runners/map.ts";
import { loadSuite as load } from "./suite/load-suite.ts";
import type { Suite } from "./suite/suite.ts";

export interface LoadSuiteOptions {
  /** For a suite that is a function of parameters. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Runners by name, for declarative targets. Default: the shipped ones. */
  readonly runners?: RunnerMap;
}

/**
 * Loads a suite from a TypeScript or JavaScript module, or from YAML or JSON, and checks it.
 * A module is executed. Throws `user` errors that name the file, the place and the expected shape.
 */
export async function loadSuite(
  file: string,
  { parameters = {}, runners = runnerMap }: LoadSuiteOptions = {},
): Promise<Suite> {
  return await load(file, {
    files: nodeFileStore,
    modules: nodeModuleWatch,
    runners,
    metricFromConfig,
    parameters,
  });
}
