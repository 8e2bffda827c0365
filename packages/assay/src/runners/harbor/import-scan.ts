import path from "node:path";

import type { ImportContext } from "../../contracts/importer.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { sha256Hex } from "../../support/digest.ts";
import { compareText } from "../../support/natural-order.ts";
import { type LossList, noteUnreadBelow, unreadReason } from "../define/loss-list.ts";
import type { FieldLosses } from "./import-losses.ts";
import { at, type HarborResult, isText, maxResultBytes, parseResult } from "./read-result.ts";

export const giveJob =
  "Give the folder of a job with trials that ended: it holds a folder with a result.json for each.";

/** A result as far as it has to be known before it is taken. */
export interface Entry {
  readonly file: string;
  readonly sha256: string;
  readonly name: string;
  readonly taskId: string;
  readonly source: string | null;
  readonly startedAt: string;
  readonly trialIndex: number;
}

/** The results of a job's trials, or that of the trial whose folder it is. Links are told, and not followed. */
export async function resultFiles(
  root: string,
  losses: LossList,
  context: ImportContext,
): Promise<readonly string[]> {
  const { files, signal } = context;
  const found: string[] = [];
  for (const name of await files.list(root)) {
    signal.throwIfAborted();
    const folder = path.join(root, name);
    const file = path.join(folder, "result.json");
    const kind = (await files.stat(file))?.kind;
    if (kind === undefined) continue;
    const ofFolder = unreadReason((await files.stat(folder))?.kind ?? "other");
    const ofFile = unreadReason(kind);
    if (ofFolder !== null) losses.add(name, ofFolder);
    else if (ofFile !== null) losses.add(`${name}/result.json`, ofFile);
    else if (kind === "file") {
      found.push(file);
      await noteUnreadBelow({ folder, name }, losses, context);
    }
  }
  const own = path.join(root, "result.json");
  // Of a job it is about the whole; of a trial it is the result.
  if (found.length > 0 || (await files.stat(own))?.kind !== "file") return found;
  await noteUnreadBelow({ folder: root, name: "" }, losses, context);
  return [own];
}

interface Losses {
  readonly losses: LossList;
  readonly fields: FieldLosses;
}

/** In the order in which they began, which gives each its index. */
export async function entriesOf(
  paths: readonly string[],
  { losses, fields }: Losses,
  context: ImportContext,
): Promise<readonly Entry[]> {
  const found: Omit<Entry, "trialIndex">[] = [];
  for (const file of paths) {
    context.signal.throwIfAborted();
    const folder = path.basename(path.dirname(file));
    try {
      const { text, result } = await readResult(file, context);
      const taskId = result.taskName ?? taskIdOf(result);
      if (taskId === null) throw noTaskIn(shownFile(file), result);
      fields.addFieldsOf(result);
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

export async function readResult(
  file: string,
  { files }: Pick<ImportContext, "files">,
): Promise<{ readonly text: string; readonly result: HarborResult }> {
  const bytes = await files.readRegular(file, { maxBytes: maxResultBytes });
  const text = new TextDecoder().decode(bytes);
  const folder = path.basename(path.dirname(file));
  return { text, result: parseResult(text, { folder, source: shownFile(file) }) };
}

/** A file that is given alone may have any name. */
function shownFile(file: string): string {
  const name = path.basename(file);
  return name === "result.json" ? path.join(path.basename(path.dirname(file)), name) : name;
}

function taskIdOf({ taskPath }: HarborResult): string | null {
  return taskPath === null ? null : path.basename(taskPath);
}

function noTaskIn(file: string, { fields }: HarborResult): AssayError {
  const isOfJob = at(fields, "stats") !== undefined;
  return new AssayError(
    "ASSAY_RESULTS_INVALID",
    `${file}: it names no task${isOfJob ? ", for it is about a whole job" : ""}`,
    { remedy: giveJob },
  );
}
