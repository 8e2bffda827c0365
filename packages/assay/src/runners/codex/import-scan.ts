import { createHash } from "node:crypto";
import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { cutText } from "../../support/cut-text.ts";
import { isJson, isPlainObject, type JsonObject, parseJson } from "../../support/json.ts";
import { LossList, unreadableReason } from "../define/loss-list.ts";
import { parseEvent } from "./event-reader.ts";
import type { FoundLog } from "./import-logs.ts";

export interface ScannedLog extends FoundLog {
  readonly sha256: string;
  readonly task: LogTask;
  /** Position of the task among all. */
  readonly taskIndex: number;
  readonly trialIndex: number;
  /** The last turn that began did not end, or none did. */
  readonly isCutShort: boolean;
}

/** As far as it is told beside the log. */
export interface LogTask {
  readonly id: string;
  readonly inputs: JsonObject;
  readonly metadata: JsonObject;
}

interface Scan {
  readonly files: FileStore;
  readonly signal: AbortSignal;
  readonly losses: LossList;
}

/** A line of the stream is the whole output of a command at most, and Codex cuts these far below. */
export const maxLineBytes = 64 * 1024 * 1024;
const maxTextBytes = 8 * 1024 * 1024;

const knownTypes = new Set([
  "thread.started",
  "turn.started",
  "turn.completed",
  "turn.failed",
  "item.started",
  "item.updated",
  "item.completed",
  "error",
  "token_count",
]);

/** Looks through each log once. What holds no event, or cannot be read, is a loss, unless there is nothing else. */
export async function scanLogs(found: readonly FoundLog[], scan: Scan): Promise<ScannedLog[]> {
  const logs: ScannedLog[] = [];
  const tasks = new Map<
    string,
    { readonly task: LogTask; readonly index: number; trials: number }
  >();
  let notOne: AssayError | null = null;
  for (const log of found) {
    const scanned = await scanLog(log, scan);
    if ("unreadable" in scanned) {
      notOne ??= scanned.unreadable;
      continue;
    }
    const { firstLine, lost, told, ...facts } = scanned;
    // What a runner left is a trial although Codex ended before it said anything.
    const isSilent = firstLine === null && log.directory !== null;
    if (!facts.isLog && !isSilent) {
      const shown = firstLine === null ? "it is empty" : `its first line is ${quoted(firstLine)}`;
      notOne ??= invalid(`${log.name}: it holds no event of codex exec --json; ${shown}`);
      scan.losses.add(log.name, "it holds no event of codex exec --json");
      continue;
    }
    scan.losses.addAll(lost);
    const known = tasks.get(told.id) ?? { task: told, index: tasks.size, trials: 0 };
    tasks.set(told.id, known);
    if (JSON.stringify(told) !== JSON.stringify(known.task))
      scan.losses.add(
        log.name,
        "its task has other inputs than that of an earlier log with its id",
      );
    logs.push({
      ...log,
      sha256: facts.sha256,
      isCutShort: facts.isCutShort,
      task: known.task,
      taskIndex: known.index,
      trialIndex: known.trials,
    });
    known.trials += 1;
  }
  if (logs.length > 0) return logs;
  throw (
    notOne ?? invalid("there is no log of codex exec --json: no file whose name ends with .jsonl")
  );
}

function quoted(line: string): string {
  return JSON.stringify(cutText(line, 100));
}

function invalid(problem: string): AssayError {
  return new AssayError("ASSAY_RESULTS_INVALID", problem);
}

/** What a log and the task beside it tell. One that cannot be read is a loss. */
async function scanLog(log: FoundLog, scan: Scan) {
  try {
    return { ...(await scanLines(log, scan)), told: await taskOf(log, scan.files) };
  } catch (thrown) {
    scan.losses.add(log.name, unreadableReason(thrown));
    return { unreadable: thrown as AssayError };
  }
}

async function scanLines({ path: file, name }: FoundLog, { files, signal }: Scan) {
  const hash = createHash("sha256");
  const seen = { isLog: false, isCutShort: true, firstLine: null as string | null };
  const lost = new LossList();
  let number = 0;
  const onChunk = (chunk: Uint8Array) => void hash.update(chunk);
  for await (const lines of files.readLineBatches(file, {
    refuseLink: true,
    maxLineBytes,
    onChunk,
  })) {
    signal.throwIfAborted();
    for (const line of lines) {
      number += 1;
      if (line.trim() === "") continue;
      seen.firstLine ??= line;
      const type = parseEvent(line)?.type;
      if (type === undefined || !knownTypes.has(type))
        lost.add(`${name}, line ${number}`, lossOf(type));
      else seen.isLog = true;
      if (type === "turn.completed" || type === "turn.failed") seen.isCutShort = false;
      else if (type === "turn.started") seen.isCutShort = true;
    }
  }
  return { ...seen, lost, sha256: hash.digest("hex") };
}

function lossOf(type: string | undefined): string {
  return type === undefined
    ? "no event of codex exec; it is kept in the evidence alone"
    : `events of the type ${quoted(type)} are kept in the evidence alone`;
}

/** From the task file and the prompt beside the log, else from its name alone. */
async function taskOf({ directory, name }: FoundLog, files: FileStore): Promise<LogTask> {
  if (directory === null) return { id: name.replace(/\.jsonl$/, ""), inputs: {}, metadata: {} };
  const told = await taskFile(directory, files);
  const { id, inputs, metadata } = told;
  const known = isPlainObject(inputs) ? (inputs as JsonObject) : {};
  const prompt = await textBeside(directory, "prompt.txt", files);
  const folder = path.posix.dirname(name);
  return {
    id:
      typeof id === "string" && id !== "" ? id : folder === "." ? path.basename(directory) : folder,
    inputs:
      prompt === null || Object.hasOwn(known, "instruction")
        ? known
        : { ...known, instruction: prompt },
    metadata: isPlainObject(metadata) ? (metadata as JsonObject) : {},
  };
}

async function taskFile(directory: string, files: FileStore): Promise<Record<string, unknown>> {
  const text = await textBeside(directory, "task.json", files);
  if (text === null) return {};
  const file = path.join(path.basename(directory), "task.json");
  let task: unknown;
  try {
    task = parseJson(text, file);
  } catch (thrown) {
    throw new AssayError("ASSAY_RESULTS_INVALID", `${file} is not JSON: ${quoted(text)}`, {
      cause: thrown,
    });
  }
  if (!isPlainObject(task) || !isJson(task)) throw invalid(`${file} is no task: ${quoted(text)}`);
  return task;
}

/** A small file beside the log; null where there is none, or something that is no file. */
export async function textBeside(
  directory: string,
  name: string,
  files: FileStore,
): Promise<string | null> {
  const file = path.join(directory, name);
  if ((await files.stat(file))?.kind !== "file") return null;
  return new TextDecoder().decode(await files.readRegular(file, { maxBytes: maxTextBytes }));
}
