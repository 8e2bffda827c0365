import type { RunContext } from "../../contracts/runner.ts";
import type { Task } from "../../contracts/task.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { TrialFailure } from "./draft.ts";
import { parseSeeds } from "./seeds.ts";

/** Reads every seed of a task without writing anything, so that a bad one is found before anything is spent. */
export async function checkSeeds(
  task: Task,
  context: Pick<RunContext, "baseDir" | "files">,
): Promise<void> {
  try {
    await parseSeeds(task.inputs["files"], context);
  } catch (cause) {
    if (!AssayError.isInstance(cause)) throw cause;
    throw new AssayError(cause.code, `task "${task.id}": ${cause.message}`, {
      cause,
      data: { task_id: task.id },
    });
  }
}

/** The only text an agent gets: `inputs.instruction`, verbatim. */
export function instructionOf(task: {
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}): string {
  const instruction = task.inputs["instruction"];
  if (instruction === undefined || instruction === null || instruction === "") {
    throw new TrialFailure(
      "MissingInstruction",
      `task '${task.id}' has no instruction: set inputs['instruction']`,
    );
  }
  return String(instruction);
}
