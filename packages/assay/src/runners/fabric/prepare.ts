import path from "node:path";

import type { AgentTask } from "../../contracts/task.ts";
import { newToken } from "../../support/ids.ts";
import { formatDocument, type JsonObject } from "../../support/json.ts";
import type { AttemptContext } from "../define/attempt-context.ts";
import { instructionOf } from "../define/check-task.ts";
import { composeConfig } from "./config.ts";
import { baseDirOf, driverFile, findPython, hostEnvironment } from "./host.ts";
import type { RunOrder } from "./invocation.ts";
import type { FabricOptions } from "./options.ts";
import { hostMarks } from "./prerequisites.ts";
import { stageSkills } from "./skills.ts";

export type FabricContext = AttemptContext<FabricOptions>;

/** The folder of one attempt: all that Fabric and its harness write lies here. */
export interface TrialPlaces {
  readonly directory: string;
  readonly workspace: string;
  readonly relay: string;
  readonly artifacts: string;
  readonly logs: string;
  readonly result: string;
  readonly spans: string;
}

export interface PreparedTrial {
  readonly places: TrialPlaces;
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly order: RunOrder;
  readonly skills: readonly JsonObject[];
}

export function placesBelow(directory: string, workspace: string): TrialPlaces {
  const at = (name: string) => path.join(directory, name);
  return {
    directory,
    workspace,
    relay: at("relay"),
    artifacts: at("artifacts"),
    logs: at("logs"),
    result: at("fabric_result.json"),
    spans: at(path.join("relay", "spans.otlp.jsonl")),
  };
}

/** Directories, task file, seeds, instruction, in this order: a bad seed wins over a missing instruction. */
export async function prepareTrial(
  task: AgentTask,
  context: FabricContext,
): Promise<PreparedTrial> {
  const { options, files, process, baseDir, tool, secrets } = context;
  const directory = await context.directory();
  await addTask(task, context);
  const places = placesBelow(directory, (await context.workspace()).path);
  const instruction = instructionOf(task);
  for (const name of ["home", "tmp", "skill"])
    await files.makePrivateDirectory(path.join(directory, name));
  for (const folder of [places.relay, places.artifacts, places.logs])
    await files.makePrivateDirectory(folder);
  const skills = await stageSkills(options.skills, {
    files,
    baseDir,
    folder: path.join(directory, "skill"),
    ...skillFacts(context),
  });
  const folders = skills.map(({ folder }) => folder);
  const own = { home: path.join(directory, "home"), temporary: path.join(directory, "tmp") };
  const probed = tool?.observed?.["program"];
  const python =
    typeof probed === "string" ? probed : await findPython(options, { process, baseDir });
  return {
    places,
    argv: [python, driverFile],
    env: { ...hostEnvironment(options, own, process), ...secrets },
    order: {
      token: newToken(),
      operation: "run",
      config: composeConfig(options, { ...places, skills: folders, marks: hostMarks }, task.id),
      baseDir: baseDirOf(options, baseDir),
      instruction,
      taskId: task.id,
      resultFile: places.result,
      spansFile: options.captureSpans ? places.spans : null,
    },
    skills: skills.map(({ record }) => record),
  };
}

/** The task as the agent gets it, kept whatever ends the attempt. */
export async function addTask(
  task: AgentTask,
  { directory, files, evidence }: Pick<AttemptContext<unknown>, "directory" | "files" | "evidence">,
): Promise<void> {
  const file = path.join(await directory(), "task.json");
  await files.writeAtomic(file, formatDocument(task));
  evidence.add("task", { kind: "json", format: "json", ref: file });
}

/** What the probe found of skills and adapter. */
export function skillFacts({ tool }: Pick<AttemptContext<unknown>, "tool">): {
  readonly expected: Readonly<Record<string, unknown>>;
  readonly adapterId: string | null;
} {
  const digests = tool?.resolved["skills_sha256"];
  const adapter = tool?.observed?.["adapter_id"];
  return {
    expected: (digests ?? {}) as Readonly<Record<string, unknown>>,
    adapterId: typeof adapter === "string" ? adapter : null,
  };
}
