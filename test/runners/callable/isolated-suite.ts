import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type AgentTaskRunner, loadSuite } from "assay";
import type { SuiteProcess } from "../../../packages/assay/src/contracts/runner.ts";
import { suiteProcessOf } from "../../../packages/assay/src/engine/suite/suite-process.ts";
import { createNodePlatform } from "../../../packages/assay/src/platform/node-platform.ts";
import { repoRoot } from "../../support/tools.ts";

const file = fileURLToPath(new URL("fixtures/isolated.eval.ts", import.meta.url));
const built = join(repoRoot, "packages/assay/dist/engine/serve-suite.js");
const platform = createNodePlatform({});

export interface IsolatedSuite {
  readonly runner: AgentTaskRunner;
  readonly suiteProcess: SuiteProcess;
}

/** The suite of agents that misbehave. Its processes run what is built, where it is: they start in a fraction of the time. */
export async function isolatedSuite(
  parameters: Readonly<Record<string, string>>,
  suiteFile = file,
): Promise<IsolatedSuite> {
  const suite = await loadSuite(suiteFile, { parameters });
  const { suiteProcess } = suiteProcessOf(suite, {
    ownProgram: (module, options) =>
      platform.ownProgram(existsSync(built) ? pathToFileURL(built) : module, options),
  });
  if (suite.target === null || suiteProcess === undefined) throw new Error("no suite of a file");
  return { runner: suite.target, suiteProcess };
}
