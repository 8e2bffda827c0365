import type { TaskFields } from "../schema/task.ts";
import type { JsonObject, JsonValue } from "../support/json.ts";
import type { Metric } from "./metric.ts";

/** What an agent's task holds by default: an instruction, and keys of your own. */
export interface InstructionInputs {
  readonly instruction: string;
  readonly [key: string]: JsonValue;
}

/** A task as the engine works with it: validated data and live metrics. */
export interface Task extends TaskFields {
  readonly metrics: readonly Metric[];
}

/** What a runner may see of a task. Intent, reference, metadata, views and metrics never reach an agent. */
export interface AgentTask<I = JsonObject> {
  readonly id: string;
  readonly inputs: I;
}

/** What a defined runner sees of a task. Intent, reference, views and metrics are for graders alone. */
export interface RunnerTask extends AgentTask {
  /** For the runner: where its benchmark lies, what its backend calls the task. Never for the agent. */
  readonly metadata: JsonObject;
}
