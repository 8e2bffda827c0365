import path from "node:path";

import type { ImportContext, ImportedResults, Importer } from "../../contracts/importer.ts";
import { agentPhaseSuccess } from "../../metrics/agent-phase-success/index.ts";
import { sha256Hex } from "../../support/digest.ts";
import { LossList } from "../define/loss-list.ts";
import { findLogs } from "./import-logs.ts";
import { type ScannedLog, scanLogs } from "./import-scan.ts";
import { trialOfLog } from "./import-trial.ts";

/** Logs of `codex exec --json`: a folder of them, or one. Each is a trial. */
export const codexImporter: Importer = {
  format: "codex",
  async open(given: string, context: ImportContext): Promise<ImportedResults> {
    const root = await context.files.realPath(given);
    const losses = new LossList();
    const logs = await scanLogs(await findLogs(root, { ...context, losses }), {
      ...context,
      losses,
    });
    const isFolder = (await context.files.stat(root))?.kind === "directory";
    return {
      name: path.basename(root),
      producer: { name: "codex_cli", kind: "runner", version: null, config: {} },
      identity: { logs: logs.length, sha256: digestOf(logs) },
      tasks: tasksOf(logs),
      metrics: [agentPhaseSuccess()],
      evidenceDirs: [isFolder ? root : path.dirname(root)],
      aggregates: [],
      losses: losses.list(),
      async *trials(run) {
        for (const log of logs) {
          run.signal.throwIfAborted();
          yield await trialOfLog(log, run);
        }
      },
    };
  },
};

/** Of the logs' names and bytes, in the order of their names. */
function digestOf(logs: readonly ScannedLog[]): string {
  return sha256Hex(logs.map(({ name, sha256 }) => `${name}\0${sha256}\n`).join(""));
}

function tasksOf(logs: readonly ScannedLog[]): ImportedResults["tasks"] {
  const counts = new Map<string, number>();
  for (const { task } of logs) counts.set(task.id, (counts.get(task.id) ?? 0) + 1);
  return logs
    .filter(({ trialIndex }) => trialIndex === 0)
    .map(({ task: { id, inputs, metadata } }) => ({
      id,
      intent: "not told: logs of codex exec do not say what was wanted",
      inputs,
      metadata,
      trialCount: counts.get(id) ?? 0,
    }));
}
