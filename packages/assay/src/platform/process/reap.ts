import path from "node:path";

import { AssayError } from "../../errors/assay-error.ts";
import { holdersBelow } from "./holders.ts";
import { hasProcessTable, type ProcessEntry, type ProcessTable } from "./process-table.ts";
import { killUntilNone } from "./process-tree.ts";
import { createTableSource, type TableSource } from "./table-source.ts";

/** What is left of a run: what carries its token, and what lives below its private scratch directory. */
export interface RunRemains {
  readonly token: string;
  /** A real path. */
  readonly directory: string;
}

/**
 * Kills what is left of a run, and what descends from it; answers how many there were. The host process and its
 * ancestors are spared, as an agent may itself run Assay. Finds nothing where there is no /proc.
 */
export async function reap({ token, directory }: RunRemains): Promise<number> {
  if (!/^[0-9a-f]{16,}$/.test(token)) {
    throw new AssayError("ASSAY_INVARIANT", `${JSON.stringify(token)} is no run token`);
  }
  assertPrivate(directory);
  if (!hasProcessTable) return 0;
  const find = (table: ProcessTable) =>
    withDescendants(
      [...(table.byMark.get(token) ?? []), ...holdersBelow(directory, table, 0)],
      table,
    );
  return await killUntilNone(find, createTableSource(0));
}

/** Kills what lives below a private directory and is younger than the host process; answers how many there were. */
export async function reapBelow(
  directory: string,
  { tables, minStartTicks }: { readonly tables: TableSource; readonly minStartTicks: number },
): Promise<number> {
  assertPrivate(directory);
  if (!hasProcessTable) return 0;
  const find = (table: ProcessTable) =>
    withDescendants(holdersBelow(directory, table, minStartTicks), table);
  return await killUntilNone(find, tables);
}

/** A slip here would end all that the user runs. */
function assertPrivate(directory: string): void {
  const depth = directory.split(path.sep).filter((name) => name !== "").length;
  if (path.resolve(directory) === directory && depth >= 2) return;
  throw new AssayError(
    "ASSAY_INVARIANT",
    `${JSON.stringify(directory)} is no private directory of a run`,
  );
}

function withDescendants(
  found: readonly ProcessEntry[],
  table: ProcessTable,
): readonly ProcessEntry[] {
  const spared = ancestryOf(process.pid, table);
  const members = new Map<number, ProcessEntry>();
  const queue = [...found];
  // The list grows while it is read.
  for (const entry of queue) {
    if (members.has(entry.pid) || spared.has(entry.pid)) continue;
    members.set(entry.pid, entry);
    queue.push(...(table.byParent.get(entry.pid) ?? []));
  }
  return [...members.values()];
}

function ancestryOf(pid: number, table: ProcessTable): ReadonlySet<number> {
  const ancestry = new Set<number>();
  for (let next: number | undefined = pid; next !== undefined && !ancestry.has(next); ) {
    ancestry.add(next);
    next = table.byPid.get(next)?.parentPid;
  }
  return ancestry;
}
