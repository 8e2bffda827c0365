import path from "node:path";

import type { ImportContext, ImportedResults, Importer } from "../../contracts/importer.ts";
import { agentPhaseSuccess } from "../../metrics/agent-phase-success/index.ts";
import { sha256Hex } from "../../support/digest.ts";
import { LossList, noteUnreadBelow } from "../define/loss-list.ts";
import { type FoundResult, scanResults, takenFolders } from "./import-scan.ts";
import { noteLosses, trialOfResult } from "./import-trial.ts";

/** Results of NeMo Fabric: a folder of them, or one. Each is a trial. */
export const fabricImporter: Importer = {
  format: "fabric",
  async open(given: string, context: ImportContext): Promise<ImportedResults> {
    const root = await context.files.realPath(given);
    const losses = new LossList();
    const found = await scanResults(root, { ...context, losses });
    const isFolder = (await context.files.stat(root))?.kind === "directory";
    const folder = isFolder ? root : path.dirname(root);
    for (const one of found) {
      noteLosses(one, folder, losses);
      await noteUnreadBeside(one, losses, context);
    }
    return {
      name: path.basename(root),
      producer: { name: "fabric", kind: "runner", version: null, config: configOf(found) },
      identity: { results: found.length, sha256: digestOf(found) },
      tasks: tasksOf(found),
      metrics: [agentPhaseSuccess()],
      evidenceDirs: [folder],
      aggregates: [],
      losses: losses.list(),
      async *trials(run) {
        for (const one of found) {
          run.signal.throwIfAborted();
          yield await trialOfResult(one, folder, run.files);
        }
      },
    };
  },
};

async function noteUnreadBeside(
  { directory, name }: FoundResult,
  losses: LossList,
  context: ImportContext,
): Promise<void> {
  if (directory === null) return;
  for (const taken of takenFolders) {
    const folder = path.join(directory, taken);
    if ((await context.files.stat(folder))?.kind !== "directory") continue;
    const shown = path.posix.join(path.posix.dirname(name), taken);
    await noteUnreadBelow({ folder, name: shown }, losses, context);
  }
}

/** Of the results' names and bytes, in the order of their names. */
function digestOf(found: readonly FoundResult[]): string {
  return sha256Hex(found.map(({ name, sha256 }) => `${name}\0${sha256}\n`).join(""));
}

/** The adapters that the results name. */
function configOf(found: readonly FoundResult[]) {
  const ids = found.flatMap(({ result }) => result.adapter_id ?? []);
  return ids.length === 0 ? {} : { adapter_ids: [...new Set(ids)].sort() };
}

function tasksOf(found: readonly FoundResult[]): ImportedResults["tasks"] {
  const counts = new Map<string, number>();
  for (const { task } of found) counts.set(task.id, (counts.get(task.id) ?? 0) + 1);
  return found
    .filter(({ trialIndex }) => trialIndex === 0)
    .map(({ task: { id, inputs } }) => ({
      id,
      intent: "not told: results of NeMo Fabric do not say what was wanted",
      inputs,
      trialCount: counts.get(id) ?? 0,
    }));
}
