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

/** Does what `loadSuite` promises, with the modules and files of this machine. */
export async function loadWithNode(
  file: string,
  { parameters = {}, runners = runnerMap, onSecrets = () => {}, ...host }: LoadSuiteOptions,
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
