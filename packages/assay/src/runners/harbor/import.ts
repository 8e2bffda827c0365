import path from "node:path";

import type {
  ImportContext,
  ImportedResults,
  ImportedTask,
  Importer,
} from "../../contracts/importer.ts";
import type { Trial } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { harborReward } from "../../metrics/harbor-reward/index.ts";
import { sha256Hex } from "../../support/digest.ts";
import { trialIdOf } from "../../support/ids.ts";
import { type JsonObject, parseJson } from "../../support/json.ts";
import { compareText } from "../../support/natural-order.ts";
import { LossList } from "../define/loss-list.ts";
import { aggregatesOf } from "./aggregates.ts";
import { FieldLosses } from "./import-losses.ts";
import { type Entry, entriesOf, giveJob, readResult, resultFiles } from "./import-scan.ts";
import { isLegacySummary, summaryAggregates, trialsOfSummary } from "./legacy-summary.ts";
import { trialOf } from "./outcome.ts";
import { readJobDocument } from "./read-job.ts";
import { at, type HarborResult } from "./read-result.ts";

/** A job of Harbor, the folder of one of its trials, a trial's `result.json` alone, or a summary of an older evaluation. */
export const harborImporter: Importer = {
  format: "harbor",
  async open(given: string, context: ImportContext): Promise<ImportedResults> {
    const root = await context.files.realPath(given);
    const isFile = (await context.files.stat(root))?.kind !== "directory";
    if (isFile) {
      const { text, result } = await readResult(root, context);
      if (isLegacySummary(result.fields)) return openSummary(root, text, result);
    }
    const losses = new LossList();
    const fields = new FieldLosses();
    const files = isFile ? [root] : await resultFiles(root, losses, context);
    const entries = await entriesOf(files, { losses, fields }, context);
    if (entries.length === 0) throw noResult(given);
    const directory = isFile ? path.dirname(root) : root;
    const job = isFile ? null : await readJobDocument(root, context);
    return {
      name: path.basename(root),
      producer: {
        name: "harbor",
        kind: "runner",
        version: null,
        config: await configOf(directory, isFile, context),
      },
      identity: { trials: entries.length, results_sha256: digestOf(entries) },
      tasks: tasksOf(entries),
      metrics: [harborReward()],
      evidenceDirs: [directory],
      aggregates: at(job, "stats") === undefined ? [] : aggregatesOf([job]),
      losses: [...losses.list(), ...fields.list()],
      async *trials(run) {
        for (const entry of entries) {
          run.signal.throwIfAborted();
          yield await importedTrial(entry, isFile, run);
        }
      },
    };
  },
};

/** Its trials have nothing of their own but the summary. */
function openSummary(root: string, text: string, { fields }: HarborResult): ImportedResults {
  const losses = new LossList();
  const trials = trialsOfSummary(fields, losses, (taskId, index) =>
    trialIdOf(taskId, "harbor", index),
  );
  if (trials.length === 0) throw noResult(root);
  return {
    name: path.basename(root),
    producer: { name: "harbor", kind: "runner", version: null, config: {} },
    identity: { trials: trials.length, results_sha256: sha256Hex(text) },
    tasks: tasksOf(trials.map((trial) => ({ ...trial, source: null }))),
    metrics: [harborReward()],
    evidenceDirs: [path.dirname(root)],
    aggregates: summaryAggregates(fields),
    losses: losses.list(),
    async *trials(run) {
      const directory = path.join(run.scratch, "harbor-import");
      await run.files.makeDirectory(directory);
      for (const { result, ...place } of trials) {
        run.signal.throwIfAborted();
        const { metadata, ...trial } = await adapted(result, { ...place, directory }, run);
        const { harbor_trial_dir: _none, ...told } = metadata;
        yield { ...trial, metadata: told, evidence: null };
      }
    },
  };
}

function noResult(given: string): AssayError {
  const problem = `"${path.basename(given)}" holds no result of a Harbor trial`;
  return new AssayError("ASSAY_RESULTS_INVALID", problem, { remedy: giveJob });
}

function digestOf(entries: readonly Entry[]): string {
  return sha256Hex(entries.map(({ name, sha256 }) => `${name}\0${sha256}\n`).join(""));
}

function tasksOf(
  entries: readonly Pick<Entry, "taskId" | "source" | "trialIndex">[],
): readonly ImportedTask[] {
  const tasks = new Map<string, ImportedTask>();
  for (const { taskId, source, trialIndex } of entries) {
    const known = tasks.get(taskId);
    tasks.set(taskId, {
      id: taskId,
      intent: "not told: results of Harbor do not say what was wanted",
      inputs: {},
      metadata: known?.metadata ?? (source === null ? {} : { harbor_source: source }),
      trialCount: trialIndex + 1,
    });
  }
  return [...tasks.values()].sort((a, b) => compareText(a.id, b.id));
}

type RunPart = Parameters<ImportedResults["trials"]>[0];

async function importedTrial(entry: Entry, isFile: boolean, run: RunPart): Promise<Trial> {
  const { files, scratch } = run;
  const { text, result } = await readResult(entry.file, run);
  let directory = path.dirname(entry.file);
  if (isFile) {
    directory = path.join(scratch, "harbor-import", entry.name.replaceAll(/[^\w.-]/g, "-"));
    await files.makeDirectory(directory);
    await files.writeAtomic(path.join(directory, "result.json"), text);
  }
  const { taskId, trialIndex } = entry;
  return await adapted(result, { taskId, trialIndex, directory }, run);
}

async function adapted(
  result: HarborResult,
  place: Parameters<typeof trialOf>[1],
  { files }: RunPart,
): Promise<Trial> {
  const trial = await trialOf(result, place, {
    files,
    // Texts are redacted when the trial is stored.
    redact: (said) => said,
    rewardKey: "reward",
    now: () => new Date(0),
    cacheHit: null,
  });
  const attempts = trial.attempts?.map((attempt) => ({ ...attempt, cause: "imported" as const }));
  return { ...trial, ...(attempts === undefined ? {} : { attempts }) };
}

/** The settings that Harbor stored with the job, as far as a target of Assay has them. */
async function configOf(
  directory: string,
  isFile: boolean,
  { files, log }: ImportContext,
): Promise<JsonObject> {
  const file = path.join(directory, "config.json");
  if (isFile || (await files.stat(file))?.kind !== "file") return {};
  let config: unknown;
  try {
    config = parseJson(await files.readText(file), file);
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
    log.warn(`settings of the job are passed over: ${thrown.message}`);
    return {};
  }
  const agents = at(config, "agents");
  const agent = Array.isArray(agents) ? agents[0] : at(config, "agent");
  const settings = {
    job_name: at(config, "job_name"),
    n_attempts: at(config, "n_attempts"),
    agent_name: at(agent, "name"),
    agent_import_path: at(agent, "import_path"),
    agent_model_name: at(agent, "model_name"),
    effective_agent: at(agent, "import_path") ?? at(agent, "name"),
  };
  const said = Object.entries(settings).filter(
    ([, value]) => typeof value === "string" || typeof value === "number",
  );
  return Object.fromEntries(said) as JsonObject;
}
