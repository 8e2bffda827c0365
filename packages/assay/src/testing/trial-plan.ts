import type { TrialPlan } from "../contracts/runner.ts";
import type { Task } from "../contracts/task.ts";
import type { JsonObject } from "../support/json.ts";

/** A task as far as a runner is concerned. */
export interface TestTask {
  readonly id?: string;
  readonly inputs: JsonObject;
  readonly intent?: string;
  readonly reference?: JsonObject;
  readonly metadata?: JsonObject;
}

/** A whole task without metrics; the id says its position unless one is given. */
export function testTask(task: TestTask, index = 0): Task {
  return {
    id: task.id ?? `task-${index}`,
    intent: task.intent ?? "",
    inputs: task.inputs,
    reference: task.reference ?? {},
    views: {},
    metadata: task.metadata ?? {},
    metrics: [],
  };
}

/** A plan that asks for these trials of each task. */
export function testPlan(
  tasks: readonly TestTask[],
  trialIndexes: readonly number[] = [0],
): TrialPlan {
  return {
    tasks: tasks.map((task, taskIndex) => ({
      task: testTask(task, taskIndex),
      taskIndex,
      trialIndexes,
    })),
    trialsPerTask: Math.max(...trialIndexes) + 1,
    trialCount: tasks.length * trialIndexes.length,
  };
}
