import { isAbsolute, posix } from "node:path";

import type { Task } from "../../contracts/task.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { isPlainObject } from "../../support/json.ts";
import type { TaskHost } from "../define/define-runner.ts";

/** A host directory that the task's workspace starts with, below `workspace/`; null when it names none. */
export async function workspaceDirOf(
  { id, inputs }: Pick<Task, "id" | "inputs">,
  { files }: Pick<TaskHost, "files">,
): Promise<string | null> {
  const given = inputs["workspace_dir"];
  if (given === undefined || given === null) return null;
  const shown = JSON.stringify(given);
  if (typeof given !== "string" || !isAbsolute(given))
    throw invalid(id, `inputs.workspace_dir must be an absolute path, not ${shown}`);
  const facts = await files.stat(given);
  if (facts === null) throw invalid(id, `inputs.workspace_dir: ${shown} does not exist`);
  const real = facts.kind === "link" ? await files.realPath(given) : given;
  if ((await files.stat(real))?.kind !== "directory")
    throw invalid(id, `inputs.workspace_dir: ${shown} is no directory`);
  return real;
}

/** Seeds must not take the places that the runner fills. */
export function checkSeedPlaces({ id, inputs }: Pick<Task, "id" | "inputs">): void {
  const seeds = inputs["files"];
  if (!isPlainObject(seeds)) return;
  const hasDirectory = typeof inputs["workspace_dir"] === "string";
  for (const key of Object.keys(seeds)) {
    const [first = "", ...rest] = posix.normalize(key).split("/");
    const isTaken =
      first === "instruction.md" ||
      (first === "output" && rest.length === 0) ||
      (first === "workspace" && hasDirectory);
    if (isTaken) throw invalid(id, `inputs.files["${key}"]: the runner itself makes ${first}`);
  }
}

function invalid(id: string, problem: string): AssayError {
  return new AssayError("ASSAY_TASK_INVALID", `task "${id}": ${problem}`, {
    data: { task_id: id },
  });
}
