// @ts-check
// The suites that are killed. Their agents answer the same whenever they are asked, so that a run that was killed ends
// with the very summary of one that was not.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentEvaluator, defineMetric } from "assay";
import { exactMatch } from "assay/metrics";
import { callable } from "assay/runners";
import { z } from "zod";

import { log } from "./execution-log.mjs";

/**
 * One start of a run.
 * @typedef {object} Start
 * @property {boolean} resume
 * @property {boolean} retryFailed
 * @property {boolean} isMended what failed at first works by now
 * @property {"small" | "whole" | "wide"} size
 */

/** The place of one run. @param {string} root */
export function placeOf(root) {
  return { root, run: join(root, "run"), scratch: join(root, "scratch"), log: join(root, "log") };
}

const files = { "input.txt": "to be read\n", "src/main.txt": "main\n" };
const mixedTasks = [
  { id: "plain", intent: "answers", inputs: { instruction: "Say yes." } },
  { id: "files", intent: "writes files", inputs: { instruction: "Write.", files } },
  { id: "partial", intent: "ends badly", inputs: { instruction: "Throw.", files } },
  { id: "fails", intent: "cannot be produced at first", inputs: { instruction: "Fail." } },
];
const wideTasks = Array.from({ length: 100 }, (_item, index) => ({
  id: `task-${index}`,
  intent: "answers",
  inputs: { instruction: "Say yes." },
}));

/** @param {Start} start */
function planOf({ size }) {
  if (size === "wide") return { tasks: wideTasks, trialsPerTask: 2, concurrency: 8 };
  return size === "small"
    ? { tasks: mixedTasks.slice(1), trialsPerTask: 1, concurrency: 2 }
    : { tasks: mixedTasks, trialsPerTask: 2, concurrency: 2 };
}

/** How many rows a whole run has. @param {Start} start */
export function expectedRows(start) {
  const { tasks, trialsPerTask } = planOf(start);
  const trials = tasks.length * trialsPerTask;
  return { trials, scores: trials * metricsOf(true).length };
}

/** @type {Readonly<Record<string, (context: any, isMended: boolean) => unknown>>} */
const agents = {
  plain: () => "yes",
  files: ({ workspace, log: agentLog }) => {
    agentLog.info("writes what it was asked for");
    mkdirSync(join(workspace, "out"));
    writeFileSync(join(workspace, "out/result.txt"), "yes\n".repeat(50));
    writeFileSync(join(workspace, "input.txt"), "changed\n");
    return "yes";
  },
  partial: ({ workspace }) => {
    writeFileSync(join(workspace, "half.txt"), "half\n");
    throw new Error("it gave up");
  },
  // What is no reply fails a trial; one of the two is never mended.
  fails: ({ trialIndex }, isMended) => (isMended && trialIndex === 0 ? "yes" : Symbol("none")),
};

/** @param {boolean} isMended */
function metricsOf(isMended) {
  const moody = defineMetric({
    type: "moody",
    description: "Fails at first where there is a file.",
    config: z.strictObject({}),
    outputs: () => [{ name: "value", kind: "continuous" }],
    compute: ({ candidate }) => {
      if (!isMended && candidate.evidence.names("filesystem").length > 0)
        throw new Error("the judge is down");
      return { outputs: { value: candidate.evidence.names().length } };
    },
  });
  return [exactMatch({ reference: "yes" }), moody()];
}

/**
 * Starts the run of a place, or goes on with it, until it ends.
 * @param {ReturnType<typeof placeOf>} place
 * @param {Start} start
 */
export async function runStart(place, start) {
  const { tasks, trialsPerTask, concurrency } = planOf(start);
  const { resume, retryFailed, isMended, size } = start;
  log(place.log, { what: "start", resume, retryFailed });
  const evaluator = new AgentEvaluator({ env: {}, cwd: place.root, scratchParent: place.scratch });
  return await evaluator.run({
    tasks,
    metrics: metricsOf(isMended),
    target: callable({
      name: "agent",
      agent: async ({ id }, context) => {
        log(place.log, { what: "executed", trial: `${id}#${context.trialIndex}` });
        context.usage.add({ promptTokens: tokensOf(id, isMended), completionTokens: 1 });
        await sleep(size === "wide" ? 100 : 3);
        return /** @type {string} */ (agents[id]?.(context, isMended) ?? "yes");
      },
    }),
    config: {
      workDir: place.run,
      trialsPerTask,
      concurrency,
      resume,
      ...(retryFailed ? { retryFailed } : {}),
      onEvent: (event) => {
        if (event.type !== "trial-end") return;
        const { taskId, trialId, status } = event;
        log(place.log, { what: "reported", trial: `${taskId}#${indexOf(trialId)}`, status });
      },
    },
  });
}

/** Each way of a task costs another sum, so that one that is not in the ledger is seen. @param {string} id */
function tokensOf(id, /** @type {boolean} */ isMended) {
  return 10 + id.length + (isMended ? 100 : 0);
}

/** The index at the end of `task:trial:1`; the first one has none. @param {string} trialId */
export function indexOf(trialId) {
  return Number(trialId.split(":")[2] ?? 0);
}
