import path from "node:path";

import type { RunContext, Trial } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { parseForeignJson } from "../../support/foreign-json.ts";
import { compareText } from "../../support/natural-order.ts";
import type { Batch } from "../define/define-batch-runner.ts";
import { type FoundResult, JobResults } from "./job-results.ts";
import type { HarborOptions } from "./options.ts";
import { trialOf } from "./outcome.ts";
import { TaskFinder } from "./planned-tasks.ts";
import { at } from "./read-result.ts";
import { stage } from "./workplace.ts";

/** The order in which trials of a finished job count: as they began, so that each keeps its index whoever asks. */
export function inOrder(found: readonly FoundResult[]): readonly FoundResult[] {
  const startOf = ({ result }: FoundResult) => String(at(result.fields, "started_at") ?? "");
  return [...found].sort(
    (a, b) => compareText(startOf(a), startOf(b)) || compareText(a.result.name, b.result.name),
  );
}

/** Yields the trials of a finished job that the plan asks for. Results of other tasks, and further ones, are passed over. */
export async function* readJob(
  directory: string,
  { plan, options, context }: Batch<HarborOptions>,
): AsyncIterable<Trial> {
  const { files, log, redact, clock, signal } = context;
  const results = new JobResults({
    directory,
    files,
    log,
    signal,
    hasRetries: false,
    keepsCancelled: true,
  });
  const finder = new TaskFinder(plan.tasks);
  const counts = new Map<string, number>();
  const isPlanned = new Map(
    plan.tasks.map(({ task, trialIndexes }) => [task.id, new Set(trialIndexes)]),
  );
  const found: FoundResult[] = [];
  for await (const result of results.look(true)) found.push(result);
  let number = 0;
  let hasKey = found.length === 0;
  for (const { result, directory: folder } of inOrder(found)) {
    if (signal.aborted) return;
    const taskId = finder.find(result)?.task.id;
    if (taskId === undefined) continue;
    const trialIndex = counts.get(taskId) ?? 0;
    counts.set(taskId, trialIndex + 1);
    if (isPlanned.get(taskId)?.has(trialIndex) !== true) continue;
    const { directory: staged, scratchDirectory } = await stage(folder, number, context);
    number += 1;
    const trial = await trialOf(
      result,
      { taskId, trialIndex, directory: staged },
      { files, redact, rewardKey: options.rewardKey, now: () => clock.now(), cacheHit: true },
    );
    hasKey ||= trial.metadata["reward"] !== null;
    yield { ...trial, ...(scratchDirectory === null ? {} : { scratchDirectory }) };
  }
  for (const { task } of plan.tasks)
    if (!counts.has(task.id)) log.warn(`the job "${directory}" has no trial of task "${task.id}"`);
  if (!hasKey) log.warn(`no trial has a reward "${options.rewardKey}": none matches reward_key`);
}

/** What Harbor says of the whole job; null where it says nothing that can be read. */
export async function readJobDocument(
  directory: string,
  { files, log }: Pick<RunContext, "files" | "log">,
): Promise<unknown> {
  const file = path.join(directory, "result.json");
  try {
    if ((await files.stat(file))?.kind !== "file") return null;
    return parseForeignJson(await files.readText(file), file);
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
    log.warn(`figures of Harbor are passed over: ${thrown.message}`);
    return null;
  }
}
