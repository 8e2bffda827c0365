import { createHash } from "node:crypto";

import type { MetricTask } from "../../contracts/metric.ts";
import type { AgentTaskRunner, ProbeContext } from "../../contracts/runner.ts";
import type { Task } from "../../contracts/task.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { seedDigest } from "../../runners/define/seed-digest.ts";
import { parseSeeds } from "../../runners/define/seeds.ts";
import { canonicalJson } from "../../support/canonical-json.ts";

type Host = Pick<ProbeContext, "baseDir" | "files" | "signal" | "sandboxes"> & {
  readonly runner: Pick<AgentTaskRunner, "contentDigest">;
};

/**
 * Digest of what the tasks refer to and the plan does not hold: the bytes of seeds, of what else the runner reads and of
 * held-out files, task by task in plan order. Null when there is none. What a metric needs and is not there is found here, before anything is spent.
 */
export async function taskContentDigest(
  tasks: readonly Task[],
  host: Host,
): Promise<string | null> {
  const hash = createHash("sha256");
  let isEmpty = true;
  for (const task of tasks) {
    if (host.signal.aborted) break;
    const content = await contentOf(task, host).catch((cause: unknown) => {
      throw atTask(task.id, cause);
    });
    if (content === null) continue;
    isEmpty = false;
    hash.update(`${content}\n`);
  }
  return isEmpty ? null : `assay-content-v1:sha256:${hash.digest("hex")}`;
}

function atTask(id: string, cause: unknown): unknown {
  if (!AssayError.isInstance(cause)) return cause;
  const { code, message, remedy, data } = cause;
  return new AssayError(code, `task "${id}": ${message}`, { cause, remedy, data });
}

async function contentOf(given: Task, host: Host): Promise<string | null> {
  const { id, inputs, metrics, ...task } = given;
  const seeds = await seedDigest(await parseSeeds(inputs["files"], host));
  const files = (await host.runner.contentDigest?.(given, host)) ?? null;
  const row: MetricTask = {
    task: { id, intent: task.intent, metadata: task.metadata },
    inputs,
    reference: task.reference,
  };
  const read: string[] = [];
  for (const metric of metrics) {
    metric.checkTask?.(row);
    const digest = await metric.contentDigest?.(row, host);
    if (digest !== undefined && digest !== null) read.push(`${metric.type}:${digest}`);
  }
  if (seeds === null && files === null && read.length === 0) return null;
  // A digest that nothing of the runner is part of is what it always was.
  return canonicalJson({ seeds, ...(files === null ? {} : { files }), metrics: read.sort() });
}
