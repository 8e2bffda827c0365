import { metricFromConfig } from "../metrics/map.ts";
import { nodeFileStore } from "../platform/files/node-file-store.ts";
import { nodeModuleWatch } from "../platform/modules/node-module-watch.ts";
import { createNodePlatform } from "../platform/node-platform.ts";
import { type RunnerMap, runnerMap } from "../runners/map.ts";
import { withRedactedErrors } from "./redact-error.ts";
import { loadSuite as load } from "./suite/load-suite.ts";
import type { SecretDefinition, Suite } from "./suite/suite.ts";

export interface LoadSuiteOptions {
  /** For a suite that is a function of parameters. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Runners by name, for declarative targets. Default: the shipped ones. */
  readonly runners?: RunnerMap;
  /** Where values of declared secrets are looked up, which no error shows. Default: the process's own. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Told the names of declared secrets as soon as the file was read: code that it runs may fail on its own. */
  readonly onSecrets?: (names: readonly string[]) => void;
}

/**
 * Loads a suite from a TypeScript or JavaScript module, or from YAML or JSON, and checks it.
 * A module is executed. Throws `user` errors that name the file, the place and the expected shape, and show no value of
 * a declared secret.
 */
export async function loadSuite(
  file: string,
  { parameters = {}, runners = runnerMap, onSecrets = () => {}, ...host }: LoadSuiteOptions = {},
): Promise<Suite> {
  const { env } = createNodePlatform(host);
  const declared: SecretDefinition[] = [];
  const request = {
    files: nodeFileStore,
    modules: nodeModuleWatch,
    runners,
    metricFromConfig,
    parameters,
    onSecrets: (secrets: readonly SecretDefinition[]) => {
      declared.push(...secrets);
      onSecrets(secrets.map(({ name }) => name));
    },
  };
  return await withRedactedErrors(
    () => declared,
    env,
    () => load(file, request),
  );
}
