import { join } from "node:path";
import { metricFromConfig } from "assay/metrics";

import { nodeEngine } from "../../../packages/assay/src/engine/node-engine.ts";
import { resolveSuite } from "../../../packages/assay/src/engine/suite/resolve-suite.ts";
import { bench, constant, tasks } from "../run-kit.ts";
import { leavesFiles } from "./verify-kit.ts";

/** The directory of a bundle that scores the trials of another one again. */
export async function rescoredFrom(dir: string, root: string): Promise<string> {
  const { files } = await nodeEngine({ env: {}, cwd: root });
  const suite = await resolveSuite(
    { name: "again", tasks: tasks(2), metrics: [constant(0.5)], target: leavesFiles },
    { baseName: "again", baseDir: root, files, metricFromConfig },
  );
  const workDir = join(root, "again");
  await bench().evaluator.rescore(dir, suite, { workDir });
  return workDir;
}
