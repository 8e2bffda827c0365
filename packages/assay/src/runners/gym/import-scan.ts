import path from "node:path";

import type { ImportContext, ImportedTask } from "../../contracts/importer.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { beginningOf } from "../../support/cut-text.ts";
import { sha256Hex, sha256HexOf } from "../../support/digest.ts";
import { keyTwiceProblem } from "../../support/foreign-json.ts";
import { formatRow, getOwn, isPlainObject, type JsonObject, sortKeys } from "../../support/json.ts";
import { LossList, unreadReason } from "../define/loss-list.ts";
import { gymTask } from "./dataset.ts";
import type { TrialPlace } from "./outcome.ts";
import { gymKeys, type RolloutRow, readRollout } from "./rollout.ts";

const noRow = "the line is no JSON object: it was torn, or is of something else";
const maxRowBytes = 64 * 1024 * 1024;

/** A file of rollouts and what Gym puts beside it. */
export interface RolloutFiles {
  readonly rollouts: string;
  readonly failures: string;
  readonly inputs: string;
  readonly aggregates: string;
}

export function filesBeside(rollouts: string): RolloutFiles {
  const stem = rollouts.replace(/\.jsonl$/, "");
  return {
    rollouts,
    failures: `${stem}_failures.jsonl`,
    inputs: `${stem}_materialized_inputs.jsonl`,
    aggregates: `${stem}_aggregate_metrics.json`,
  };
}

type Kind = "rollout" | "failure";

/** A row that becomes a trial. */
interface Entry {
  readonly kind: Kind;
  readonly lineNumber: number;
  readonly rolloutIndex: number | null;
}

interface TaskEntries {
  readonly task: Omit<ImportedTask, "trialCount">;
  readonly entries: Entry[];
}

export interface RolloutScan {
  readonly tasks: readonly ImportedTask[];
  /** The trial of a line, by its kind and number. */
  placeOf(kind: Kind, lineNumber: number): TrialPlace | undefined;
  readonly losses: LossList;
  /** Digests by the kind of file. */
  readonly digests: JsonObject;
  readonly agents: readonly string[];
  readonly hasFailures: boolean;
}

/** Keys that Gym adds to a row of a dataset when it lays it out for a run. */
const addedKeys = ["agent_ref", "skills_ref", gymKeys.attemptIndex, "_ng_environment_server"];

/** Looks through the files once. Throws `ASSAY_RESULTS_INVALID` for what are no rollouts. */
export async function scanRollouts(
  files: RolloutFiles,
  context: ImportContext,
): Promise<RolloutScan> {
  const scan = new Scan(files, context);
  const inputs = await scan.readInputs();
  await scan.readRows("rollout", inputs);
  const hasFailures = await scan.hasBeside(files.failures);
  if (hasFailures) await scan.readRows("failure", inputs);
  return await scan.result(hasFailures);
}

/** Whether a file is there; anything else in its place is a loss. */
export async function isReadable(
  file: string,
  losses: LossList,
  { files }: Pick<ImportContext, "files">,
): Promise<boolean> {
  const kind = (await files.stat(file))?.kind;
  if (kind === undefined || kind === "file") return kind === "file";
  losses.add(path.basename(file), unreadReason(kind) ?? "a folder, where a file would be");
  return false;
}

class Scan {
  readonly #files: RolloutFiles;
  readonly #context: ImportContext;
  readonly #byTask = new Map<string, TaskEntries>();
  readonly #losses = new LossList();
  readonly #agents = new Set<string>();
  /** Of the rollouts, for an answer to what are none. */
  #firstLine = "";

  constructor(files: RolloutFiles, context: ImportContext) {
    this.#files = files;
    this.#context = context;
  }

  /** Tasks by their index, from the inputs that Gym has laid out, where they are there. */
  async readInputs(): Promise<ReadonlyMap<number, Omit<ImportedTask, "trialCount">>> {
    const tasks = new Map<number, Omit<ImportedTask, "trialCount">>();
    if (!(await this.hasBeside(this.#files.inputs))) return tasks;
    const name = path.basename(this.#files.inputs);
    for await (const { row } of this.#rows(this.#files.inputs)) {
      if (row.taskIndex === null || tasks.has(row.taskIndex)) continue;
      const content = Object.entries(row.fields).filter(([key]) => !addedKeys.includes(key));
      const value = Object.fromEntries(content);
      if (!isPlainObject(getOwn(value, gymKeys.params))) continue;
      const { id, intent, inputs, metadata } = gymTask({ value, dataset: name, rowNumber: 0 });
      tasks.set(row.taskIndex, { id, intent, inputs, metadata });
    }
    return tasks;
  }

  /** A file that Gym puts beside the rollouts; a link there is told, and not followed. */
  async hasBeside(file: string): Promise<boolean> {
    return await isReadable(file, this.#losses, this.#context);
  }

  async readRows(
    kind: Kind,
    inputs: ReadonlyMap<number, Omit<ImportedTask, "trialCount">>,
  ): Promise<void> {
    const file = kind === "rollout" ? this.#files.rollouts : this.#files.failures;
    for await (const { row, lineNumber } of this.#rows(file)) {
      this.#refuseOther(row, `${path.basename(file)}:${lineNumber}`);
      const task = this.#taskOf(row, inputs);
      const known = this.#byTask.get(task.id) ?? { task, entries: [] };
      known.entries.push({ kind, lineNumber, rolloutIndex: row.rolloutIndex });
      this.#byTask.set(task.id, known);
      const agent = getOwn(row.fields, "agent_ref");
      const name = isPlainObject(agent) ? getOwn(agent, "name") : undefined;
      if (typeof name === "string") this.#agents.add(name);
    }
  }

  /** What is no JSON is lost, and told: a run that was killed leaves half a line. */
  async *#rows(file: string): AsyncGenerator<{ row: RolloutRow; lineNumber: number }> {
    let lineNumber = 0;
    for await (const line of this.#context.files.readLines(file, { maxLineBytes: maxRowBytes })) {
      lineNumber += 1;
      this.#context.signal.throwIfAborted();
      const source = `${path.basename(file)}:${lineNumber}`;
      if (line.trim() === "") continue;
      if (file === this.#files.rollouts && this.#firstLine === "")
        this.#firstLine = line.slice(0, 200);
      const row = this.#read(line, source);
      if (row !== null) yield { row, lineNumber };
    }
  }

  #read(line: string, source: string): RolloutRow | null {
    try {
      return readRollout(line, source);
    } catch (thrown) {
      if (!AssayError.isInstance(thrown)) throw thrown;
      this.#losses.add(source, keyTwiceProblem(thrown) ?? noRow);
      return null;
    }
  }

  #refuseOther({ fields }: RolloutRow, source: string): void {
    if (isPlainObject(getOwn(fields, "response"))) return;
    if (isPlainObject(getOwn(fields, gymKeys.params)) || gymKeys.failureClass in fields) return;
    throw new AssayError(
      "ASSAY_RESULTS_INVALID",
      `${source} is no rollout of NeMo Gym: it has neither "response" nor "${gymKeys.params}", but ${Object.keys(fields).slice(0, 5).join(", ") || "nothing"}`,
    );
  }

  #taskOf(
    { fields, taskIndex }: RolloutRow,
    inputs: ReadonlyMap<number, Omit<ImportedTask, "trialCount">>,
  ): Omit<ImportedTask, "trialCount"> {
    const known = taskIndex === null ? undefined : inputs.get(taskIndex);
    if (known !== undefined) return known;
    const params = getOwn(fields, gymKeys.params);
    const value = { [gymKeys.params]: isPlainObject(params) ? params : {} };
    const { inputs: own } = gymTask({ value, dataset: "", rowNumber: 0 });
    return {
      id: taskIndex === null ? sha256Hex(formatRow(sortKeys(value))) : `gym-task-${taskIndex}`,
      intent: "not told: rollouts of Gym do not say what was wanted",
      inputs: own,
    };
  }

  async result(hasFailures: boolean): Promise<RolloutScan> {
    if (this.#byTask.size === 0) {
      throw new AssayError(
        "ASSAY_RESULTS_INVALID",
        `"${path.basename(this.#files.rollouts)}" holds no rollout of NeMo Gym; ${beginningOf(this.#firstLine)}`,
      );
    }
    const places = new Map<string, TrialPlace>();
    for (const { task, entries } of this.#byTask.values()) {
      for (const [place, entry] of placesOf(task.id, entries))
        places.set(`${entry.kind}:${entry.lineNumber}`, place);
    }
    const { files } = this.#context;
    const digest = (file: string) => sha256HexOf(files.readChunks(file));
    return {
      tasks: [...this.#byTask.values()].map(({ task, entries }) => ({
        ...task,
        trialCount: entries.length,
      })),
      placeOf: (kind, lineNumber) => places.get(`${kind}:${lineNumber}`),
      losses: this.#losses,
      digests: {
        rollouts_sha256: await digest(this.#files.rollouts),
        ...(hasFailures ? { failures_sha256: await digest(this.#files.failures) } : {}),
      },
      agents: [...this.#agents].sort(),
      hasFailures,
    };
  }
}

/** Rollouts by their index, then those without one, then failures: each a trial of its own. */
function* placesOf(taskId: string, entries: readonly Entry[]): Generator<[TrialPlace, Entry]> {
  const rank = ({ kind, rolloutIndex }: Entry) =>
    kind === "failure" ? [2, 0] : rolloutIndex === null ? [1, 0] : [0, rolloutIndex];
  const sorted = [...entries].sort((a, b) => {
    const [[aKind = 0, aIndex = 0], [bKind = 0, bIndex = 0]] = [rank(a), rank(b)];
    return aKind - bKind || aIndex - bIndex || a.lineNumber - b.lineNumber;
  });
  let [withoutIndex, failures] = [0, 0];
  for (const [trialIndex, entry] of sorted.entries()) {
    const suffix =
      entry.kind === "failure"
        ? `fail${failures++}`
        : entry.rolloutIndex === null
          ? `noidx${withoutIndex++}`
          : String(entry.rolloutIndex);
    yield [{ id: `${taskId}:${suffix}`, taskId, trialIndex }, entry];
  }
}
