import { z } from "zod";

import type { AgentTaskRunner, ProbeContext, ToolFacts } from "../../contracts/runner.ts";
import { AssayError, describeThrown } from "../../errors/assay-error.ts";
import { type ErrorCode, errorCodes, type Fault } from "../../errors/codes.ts";
import { parseValue } from "../../schema/codec.ts";
import { jsonObject, stringMap } from "../../schema/free-form.ts";
import { type Draft, distinctMetrics } from "./draft.ts";
import { taskContentDigest } from "./task-content.ts";

/**
 * What the runner and the metrics have to say against the tasks and this machine, before anything is spent.
 * Gives the digest of the content that tasks refer to.
 */
export async function checkTasksAndMetrics(
  { suite: { baseDir }, target: { runner }, tasks, plan }: Draft,
  { files, signal, sandboxes }: Pick<ProbeContext, "files" | "signal" | "sandboxes">,
): Promise<string | null> {
  const context = { baseDir, files, sandboxes };
  const refusal = { code: "ASSAY_TASK_INVALID", signal } as const;
  await refusing("number of trials", { code: "ASSAY_CONFIG_INVALID", signal }, () =>
    runner.checkPlan?.(plan),
  );
  for (const task of tasks) {
    // A run that was cancelled by now runs nothing.
    if (signal.aborted) return null;
    await refusing(`task "${task.id}"`, refusal, () => runner.checkTask?.(task, context));
  }
  for (const metric of distinctMetrics(tasks)) {
    if (signal.aborted) return null;
    await refusing(`metric "${metric.type}"`, { code: "ASSAY_CONFIG_INVALID", signal }, () =>
      metric.preflight?.(context),
    );
  }
  return await refusing("content of the tasks", refusal, () =>
    taskContentDigest(tasks, { ...context, signal, runner }),
  );
}

/** What the runner finds out about its tools. Null when it has no probe. */
export async function probeTool(
  runner: AgentTaskRunner,
  context: ProbeContext,
): Promise<ToolFacts | null> {
  if (runner.probe === undefined) return null;
  const who = "probe() of the target";
  const given: unknown = await refusing(
    who,
    { code: "ASSAY_TOOL_UNUSABLE", signal: context.signal },
    () => runner.probe?.(context),
  );
  return parseValue(toolFactsSchema, given, {
    source: who,
    code: "ASSAY_TARGET_INVALID",
  });
}

const toolFactsSchema = z.strictObject({
  version: z.string().nullable(),
  resolved: jsonObject(),
  observed: jsonObject().default({}),
  secrets: stringMap().default({}),
});

interface Refusal {
  readonly code: ErrorCode;
  readonly signal: AbortSignal;
}

/** A throw says that nothing can be run. Errors of ours know who is to blame, unless it would be the run itself. */
async function refusing<T>(
  who: string,
  { code, signal }: Refusal,
  ask: () => T | Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (signal.aborted)
      throw new AssayError("ASSAY_CANCELLED", "cancelled before the first trial", { cause });
    if (AssayError.isInstance(cause) && knowsBetter.includes(cause.fault)) throw cause;
    // Of a fault that would pass in a trial, what to do is known where it happened.
    const isKnown = AssayError.isInstance(cause) && cause.remedy !== errorCodes[cause.code].remedy;
    const remedy = isKnown ? { remedy: cause.remedy } : {};
    throw new AssayError(code, `${who}: ${describeThrown(cause)}`, { cause, ...remedy });
  }
}

const knowsBetter: readonly Fault[] = ["user", "environment", "integrity", "cancelled", "bug"];
