import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { type LossList, noteUnreadBelow, unreadReason } from "../define/loss-list.ts";

export interface FoundLog {
  /** Absolute. */
  readonly path: string;
  /** Relative to what is imported, with forward slashes. */
  readonly name: string;
  /** Where a runner left it together with the task, the prompt and the workspace; null for a log that lies alone. */
  readonly directory: string | null;
}

interface Search {
  readonly files: FileStore;
  readonly signal: AbortSignal;
  readonly losses: LossList;
}

const logOfRunner = "stdout.jsonl";
/** What a runner of Codex leaves beside its log. */
const ofRunner = new Set([
  logOfRunner,
  "task.json",
  "prompt.txt",
  "stderr.txt",
  "final_output.txt",
  "error.json",
  "workspace",
]);

const maxDepth = 32;

/** The logs at a path: the file itself, or all below a folder, by name. No link is followed. */
export async function findLogs(root: string, search: Search): Promise<FoundLog[]> {
  if ((await search.files.stat(root))?.kind !== "directory") {
    const name = path.basename(root);
    return [{ path: root, name, directory: name === logOfRunner ? path.dirname(root) : null }];
  }
  const found: FoundLog[] = [];
  await visit({ path: root, name: "", depth: 0 }, search, found);
  return found;
}

interface Place {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
}

async function visit(place: Place, search: Search, found: FoundLog[]): Promise<void> {
  const { files, losses, signal } = search;
  signal.throwIfAborted();
  const entries = [...(await files.list(place.path))].sort();
  const isOfRunner = entries.includes(logOfRunner);
  for (const entry of entries) {
    const at = path.join(place.path, entry);
    const name = place.name === "" ? entry : `${place.name}/${entry}`;
    const kind = (await files.stat(at))?.kind;
    const isBeside = isOfRunner && entry !== logOfRunner && ofRunner.has(entry);
    if (isBeside && kind === "directory")
      await noteUnreadBelow({ folder: at, name }, losses, search);
    else if (isBeside && kind === "file") continue;
    else if (kind === "file" && entry.endsWith(".jsonl") && (!isOfRunner || entry === logOfRunner))
      found.push({ path: at, name, directory: isOfRunner ? place.path : null });
    else if (kind === "directory" && !isOfRunner && place.depth < maxDepth)
      await visit({ path: at, name, depth: place.depth + 1 }, search, found);
    else if (kind !== undefined) losses.add(name, unreadReason(kind) ?? lossOf(kind, isOfRunner));
  }
}

function lossOf(kind: string, isOfRunner: boolean): string {
  if (isOfRunner) return "nothing that a runner of Codex leaves beside its log";
  return kind === "directory"
    ? `deeper than ${maxDepth} folders`
    : "no log: its name does not end with .jsonl";
}
