import type { AgentTaskRunner, Suite, TaskDefinition } from "assay";
import { metricFromConfig } from "assay/metrics";

import type { Metric } from "../../packages/assay/src/contracts/metric.ts";
import { nodeEngine } from "../../packages/assay/src/engine/node-engine.ts";
import { resolveSuite } from "../../packages/assay/src/engine/suite/resolve-suite.ts";

/** A target that must never be asked for anything. */
function untouchable(): AgentTaskRunner {
  const never = () => {
    throw new Error("the target was used");
  };
  return {
    contractVersion: 1,
    runnerInfo: never,
    runTasks: never,
    probe: never,
    configure: never,
    effectiveOptions: never,
  };
}

/** A suite to score a bundle again with. */
export async function suiteOf(
  root: string,
  tasks: readonly TaskDefinition[],
  metrics: readonly Metric[],
): Promise<Suite> {
  const { files } = await nodeEngine({ env: {}, cwd: root });
  return await resolveSuite(
    { name: "again", tasks, metrics, target: untouchable() },
    { baseName: "again", baseDir: root, files, metricFromConfig },
  );
}
