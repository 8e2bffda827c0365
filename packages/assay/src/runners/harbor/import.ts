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
import { type JsonObject, parseJson } from "../../support/json.ts";
import { compareText } from "../../support/natural-order.ts";
import { aggregatesOf } from "./aggregates.ts";
import { LossCount } from "./import-losses.ts";
import { trialOf } from "./outcome.ts";
import { readJobDocument } from "./read-job.ts";
import { at, type HarborResult, isText, maxResultBytes, parseResult } from "./read-result.ts";

/** A job of Harbor, the folder of one of its trials, or a trial's `result.json` alone. */
export const harborImporter: Importer = {
  format: "harbor",
  async open(given: string, context: ImportContext): Promise<ImportedResults> {
    const root = await context.files.realPath(given);
    const isFile = (await context.files.stat(root))?.kind === "file";
    const losses = new LossCount();
    const files = isFile ? [root] : await resultFiles(root, losses, context);
    const entries = await entriesOf(files, losses, context);
    if (entries.length === 0) {
      throw new AssayError(
        "ASSAY_RESULTS_INVALID",
        `"${given}" holds no result of a Harbor trial`,
        {
          remedy: "Give the folder of a job: it holds a folder with a result.json for each trial.",
        },
      );
    }
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
      losses: losses.list(),
      async *trials(run) {
        for (const entry of entries) {
          run.signal.throwIfAborted();
          yield await importedTrial(entry, isFile, run);
        }
      },
    };
  },
};

/** A result as far as it has to be known before it is taken. */
interface Entry {
  readonly file: string;
  readonly sha256: string;
  readonly name: string;
  readonly taskId: string;
  readonly source: string | null;
  readonly startedAt: string;
  readonly trialIndex: number;
}

async function resultFiles(
  root: string,
  losses: LossCount,
  { files, signal }: ImportContext,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await files.list(root)) {
    signal.throwIfAborted();
    const file = path.join(root, name, "result.json");
    const kind = (await files.stat(file))?.kind;
    if (kind === undefined) continue;
    const isOwn = (await files.stat(path.join(root, name)))?.kind === "directory";
    if (kind === "file" && isOwn) found.push(file);
    else if (kind !== "directory" || !isOwn)
      losses.add(isOwn ? `${name}/result.json` : name, "a link, or what is no file, is not read");
  }
  const own = path.join(root, "result.json");
  // Of a job it is about the whole; of a trial it is the result.
  return found.length === 0 && (await files.stat(own))?.kind === "file" ? [own] : found;
}

/** In the order in which they began, which gives each its index. */
async function entriesOf(
  paths: readonly string[],
  losses: LossCount,
  context: ImportContext,
): Promise<readonly Entry[]> {
  const found: Omit<Entry, "trialIndex">[] = [];
  for (const file of paths) {
    context.signal.throwIfAborted();
    const folder = path.basename(path.dirname(file));
    try {
      const { text, result } = await readResult(file, context);
      const taskId = result.taskName ?? taskIdOf(result);
      if (taskId === null)
        throw new AssayError("ASSAY_RESULTS_INVALID", `${folder}/result.json: it names no task`);
      losses.addFieldsOf(result);
      const source = at(result.fields, "source");
      found.push({
        file,
        sha256: sha256Hex(text),
        name: result.name,
        taskId,
        source: isText(source) ? source : null,
        startedAt: String(at(result.fields, "started_at") ?? ""),
      });
    } catch (thrown) {
      if (!AssayError.isInstance(thrown) || paths.length === 1) throw thrown;
      context.log.warn(`a result of Harbor is passed over: ${thrown.message}`);
      losses.add(`${folder}/result.json`, "it cannot be read as the result of a trial");
    }
  }
  found.sort((a, b) => compareText(a.startedAt, b.startedAt) || compareText(a.name, b.name));
  const counts = new Map<string, number>();
  return found.map((entry) => {
    const trialIndex = counts.get(entry.taskId) ?? 0;
    counts.set(entry.taskId, trialIndex + 1);
    return { ...entry, trialIndex };
  });
}

async function readResult(
  file: string,
  { files }: Pick<ImportContext, "files">,
): Promise<{ readonly text: string; readonly result: HarborResult }> {
  const bytes = await files.readRegular(file, { maxBytes: maxResultBytes });
  const text = new TextDecoder().decode(bytes);
  return { text, result: parseResult(text, { folder: path.basename(path.dirname(file)) }) };
}

function taskIdOf({ taskPath }: HarborResult): string | null {
  return taskPath === null ? null : path.basename(taskPath);
}

function digestOf(entries: readonly Entry[]): string {
  return sha256Hex(entries.map(({ name, sha256 }) => `${name}\0${sha256}\n`).join(""));
}

function tasksOf(entries: readonly Entry[]): readonly ImportedTask[] {
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
  const trial = await trialOf(
    result,
    { taskId, trialIndex, directory },
    // Texts are redacted when the trial is stored.
    { files, redact: (said) => said, rewardKey: "reward", now: () => new Date(0), cacheHit: null },
  );
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
