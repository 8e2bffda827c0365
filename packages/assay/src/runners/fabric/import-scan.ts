import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { beginningOf, cutText } from "../../support/cut-text.ts";
import { sha256Hex } from "../../support/digest.ts";
import { isJson, isPlainObject, type JsonObject, parseJson } from "../../support/json.ts";
import { type LossList, unreadableReason, unreadReason } from "../define/loss-list.ts";
import { parseResult } from "./read-result.ts";
import type { RunResult } from "./run-result.ts";

const maxBytes = 64 * 1024 * 1024;
const resultName = "fabric_result.json";

/** A result of Fabric, and what lies beside it. */
export interface FoundResult {
  readonly path: string;
  /** Relative to what is imported. */
  readonly name: string;
  readonly sha256: string;
  readonly result: RunResult;
  readonly task: { readonly id: string; readonly inputs: JsonObject };
  readonly taskIndex: number;
  readonly trialIndex: number;
  /** The folder that it has for itself: what else lies there is of the same trial. Null for one of several in a folder. */
  readonly directory: string | null;
}

interface Scan {
  readonly files: FileStore;
  readonly signal: AbortSignal;
  readonly losses: LossList;
}

/**
 * The results below a folder, or the one that is named. Files named `fabric_result.json` have their folder for
 * themselves; without one, each JSON file of the folder is looked at. Throws for what is no result.
 */
export async function scanResults(root: string, scan: Scan): Promise<FoundResult[]> {
  const isFolder = (await scan.files.stat(root))?.kind === "directory";
  const names = isFolder ? await namesBelow(root, scan) : [path.basename(root)];
  const folder = isFolder ? root : path.dirname(root);
  const found: FoundResult[] = [];
  const tasks = new Map<string, { readonly index: number; trials: number }>();
  let problem: AssayError | null = null;
  for (const name of names) {
    scan.signal.throwIfAborted();
    const file = path.join(folder, name);
    const directory = path.basename(name) === resultName ? path.dirname(file) : null;
    const read = await scanResult({ name, path: file, directory }, scan);
    if ("problem" in read) {
      problem ??= read.problem;
      continue;
    }
    const { task } = read;
    const known = tasks.get(task.id) ?? { index: tasks.size, trials: 0 };
    tasks.set(task.id, known);
    found.push({
      ...{ path: file, name, directory, task, result: read.result },
      sha256: read.sha256,
      taskIndex: known.index,
      trialIndex: known.trials,
    });
    known.trials += 1;
  }
  if (found.length > 0) return found;
  const none = `there is no result of NeMo Fabric: no ${resultName}, and no JSON file in the folder`;
  throw problem ?? invalid(none);
}

/** A result and its task. What is none, or cannot be read, is a loss. */
async function scanResult(
  { name, path: file, directory }: Pick<FoundResult, "name" | "path" | "directory">,
  { files, losses }: Scan,
) {
  try {
    const bytes = await files.readRegular(file, { maxBytes });
    const { result, problem } = parseResult(bytes);
    if (result !== null) {
      const task = await taskOf({ name, directory, result }, files);
      return { result, task, sha256: sha256Hex(bytes) };
    }
    losses.add(name, "it is no result of NeMo Fabric");
    const shown = beginningOf(textOf(bytes));
    return { problem: invalid(`${name}: it is no result of NeMo Fabric: ${problem}; ${shown}`) };
  } catch (thrown) {
    losses.add(name, unreadableReason(thrown));
    return { problem: thrown as AssayError };
  }
}

function invalid(problem: string): AssayError {
  return new AssayError("ASSAY_RESULTS_INVALID", problem);
}

/** As much as is shown. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, 400));
}

/** What is looked for in the folder of a result, by its own name. */
const besideResult = new Set([
  resultName,
  "task.json",
  "error.json",
  "logs",
  "workspace",
  "relay",
  "spans.otlp.jsonl",
]);

async function namesBelow(root: string, { files, signal, losses }: Scan): Promise<string[]> {
  const own: string[] = [];
  const flat: string[] = [];
  const unreadPlaces: (readonly [string, string])[] = [];
  for await (const { kind, path: place } of files.walk(root, { onUnreadable: () => {} })) {
    signal.throwIfAborted();
    const base = path.posix.basename(place);
    const unread = unreadReason(kind);
    if (unread !== null && besideResult.has(base)) unreadPlaces.push([place, unread]);
    if (kind !== "file") continue;
    if (base === resultName) own.push(place);
    else if (!place.includes("/") && place.endsWith(".json")) flat.push(place);
  }
  const results = outermost(own);
  const folders = new Set(results.map((name) => path.posix.dirname(name)));
  for (const [place, reason] of unreadPlaces)
    if (!isTaken(place, folders)) losses.add(place, reason);
  return results.length > 0 ? results : flat;
}

/** Folders beside a result that are taken whole. */
export const takenFolders = ["logs", "workspace"] as const;

/** Whether a place lies in what is taken whole of one of the folders. */
function isTaken(place: string, folders: ReadonlySet<string>): boolean {
  const inner = path.posix.dirname(place);
  if (inner === ".") return false;
  const isOne = takenFolders.some((name) => name === path.posix.basename(inner));
  return (isOne && folders.has(path.posix.dirname(inner))) || isTaken(inner, folders);
}

/** What lies in the folder of a result was left by its agent, whatever it is called. */
function outermost(names: readonly string[]): string[] {
  const folders = new Set(names.map((name) => path.posix.dirname(name)));
  const isInner = (folder: string): boolean => {
    if (folder === ".") return false;
    const parent = path.posix.dirname(folder);
    return folders.has(parent) || isInner(parent);
  };
  return names.filter((name) => !isInner(path.posix.dirname(name)));
}

/** From the task file beside it, else from the request that it answers. */
async function taskOf(
  {
    name,
    directory,
    result,
  }: Pick<FoundResult, "name" | "directory"> & { readonly result: RunResult },
  files: FileStore,
): Promise<FoundResult["task"]> {
  const told = directory === null ? {} : await taskFile(directory, files);
  const { id, inputs } = told;
  const byName = name.replace(/\/?fabric_result\.json$|\.json$/, "") || "fabric";
  return {
    id: typeof id === "string" && id !== "" ? id : (result.request_id ?? byName),
    inputs: isPlainObject(inputs) ? (inputs as JsonObject) : {},
  };
}

async function taskFile(directory: string, files: FileStore): Promise<Record<string, unknown>> {
  const file = path.join(directory, "task.json");
  if ((await files.stat(file))?.kind !== "file") return {};
  const text = await files.readText(file, { maxBytes });
  let task: unknown;
  try {
    task = parseJson(text, file);
  } catch {
    task = null;
  }
  if (isPlainObject(task) && isJson(task)) return task;
  const shown = JSON.stringify(cutText(text, 80));
  throw invalid(`${path.basename(directory)}/task.json is no task: ${shown}`);
}
