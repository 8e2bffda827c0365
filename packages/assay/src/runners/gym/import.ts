import path from "node:path";

import type { ImportContext, ImportedResults, Importer } from "../../contracts/importer.ts";
import type { RunContext, Trial } from "../../contracts/runner.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { gymReward } from "../../metrics/gym-reward/index.ts";
import type { Aggregate } from "../../schema/summary.ts";
import { getOwn, isPlainObject, parseJson } from "../../support/json.ts";
import { formatInstant } from "../../support/timestamps.ts";
import type { LossList } from "../define/loss-list.ts";
import { gymAggregates } from "./aggregates.ts";
import { withEvidence } from "./evidence.ts";
import {
  filesBeside,
  isReadable,
  type RolloutFiles,
  type RolloutScan,
  scanRollouts,
} from "./import-scan.ts";
import { failureTrial, rolloutTrial } from "./outcome.ts";
import { readRollout } from "./rollout.ts";

const maxRowBytes = 64 * 1024 * 1024;

/** A file of rollouts of NeMo Gym, or a folder with `rollouts.jsonl`; what lies beside it is read too. */
export const gymImporter: Importer = {
  format: "gym",
  async open(given: string, context: ImportContext): Promise<ImportedResults> {
    const files = filesBeside(await rolloutsFile(await context.files.realPath(given), context));
    const scan = await scanRollouts(files, context);
    const aggregates = await readAggregates(files, scan.losses, context);
    return {
      name: path.basename(files.rollouts),
      producer: {
        name: "gym",
        kind: "runner",
        version: null,
        config: { agents: [...scan.agents] },
      },
      identity: scan.digests,
      tasks: scan.tasks,
      metrics: [gymReward()],
      evidenceDirs: [],
      aggregates,
      losses: scan.losses.list(),
      trials: (run) => importedTrials(files, scan, run),
    };
  },
};

async function rolloutsFile(given: string, { files }: ImportContext): Promise<string> {
  if ((await files.stat(given))?.kind !== "directory") return given;
  const file = path.join(given, "rollouts.jsonl");
  if ((await files.stat(file)) !== null) return file;
  throw new AssayError(
    "ASSAY_RESULTS_INVALID",
    `the folder "${path.basename(given)}" has no rollouts.jsonl`,
    { remedy: "Give the path of the file of rollouts itself." },
  );
}

type ImportRun = Pick<RunContext, "files" | "signal" | "log" | "scratch">;

async function* importedTrials(
  files: RolloutFiles,
  scan: RolloutScan,
  run: ImportRun,
): AsyncGenerator<Trial> {
  yield* trialsOf("rollout", files.rollouts, { scan, run });
  if (scan.hasFailures) yield* trialsOf("failure", files.failures, { scan, run });
}

async function* trialsOf(
  kind: "rollout" | "failure",
  file: string,
  { scan, run }: { readonly scan: RolloutScan; readonly run: ImportRun },
): AsyncGenerator<Trial> {
  const make = kind === "rollout" ? rolloutTrial : failureTrial;
  const instant = formatInstant(new Date((await run.files.stat(file))?.modifiedMs ?? 0));
  let lineNumber = 0;
  for await (const line of run.files.readLines(file, { maxLineBytes: maxRowBytes })) {
    lineNumber += 1;
    run.signal.throwIfAborted();
    const place = scan.placeOf(kind, lineNumber);
    if (place === undefined) continue;
    const row = readRollout(line, `${path.basename(file)}:${lineNumber}`);
    const context = {
      rewardKey: "reward",
      instant,
      requestedModel: null,
      attemptCause: "imported",
    } as const;
    const agentRef = getOwn(row.fields, "agent_ref");
    const agent = isPlainObject(agentRef) ? getOwn(agentRef, "name") : undefined;
    const directory = path.join(run.scratch, "gym_import", `${kind}-${lineNumber}`);
    yield await withEvidence(
      make(row, place, context),
      { row, line, directory, version: null, agent: typeof agent === "string" ? agent : "unknown" },
      run.files,
    );
  }
}

async function readAggregates(
  { aggregates: file }: RolloutFiles,
  losses: LossList,
  context: ImportContext,
): Promise<readonly Aggregate[]> {
  if (!(await isReadable(file, losses, context))) return [];
  const name = path.basename(file);
  try {
    const document = parseJson(await context.files.readText(file), name);
    addLosses(document, name, losses);
    return gymAggregates(document);
  } catch (thrown) {
    losses.add(name, `Gym's figures over all rollouts cannot be read: ${messageOf(thrown)}`);
    return [];
  }
}

/** What of Gym's figures has no place in a summary. */
function addLosses(document: unknown, name: string, losses: LossList): void {
  for (const entry of Array.isArray(document) ? document.filter(isPlainObject) : []) {
    const groups = getOwn(entry, "group_level_metrics");
    if (Array.isArray(groups) && groups.length > 0) {
      const reason = "figures by task have no place in a summary; metrics give them anew";
      losses.add(`${name}: group_level_metrics`, reason, groups.length);
    }
    const metrics = getOwn(entry, "agent_metrics");
    for (const [key, value] of Object.entries(isPlainObject(metrics) ? metrics : {})) {
      if (typeof value === "number") continue;
      losses.add(`${name}: agent_metrics.${key}`, "a figure that is no number has no place");
    }
  }
}
