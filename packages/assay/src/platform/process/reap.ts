import { AssayError } from "../../errors/assay-error.ts";
import { hasProcessTable, type ProcessEntry, type ProcessTable } from "./process-table.ts";
import { killUntilNone } from "./process-tree.ts";
import { createTableSource } from "./table-source.ts";

/**
 * Kills every process that carries the run's token, and what descends from such a one; answers how many there were.
 * The host process and its ancestors are spared, as an agent may itself run Assay. Finds nothing where there is no /proc.
 */
export async function reapByToken(token: string): Promise<number> {
  if (!/^[0-9a-f]{16,}$/.test(token)) {
    throw new AssayError("ASSAY_INVARIANT", `${JSON.stringify(token)} is no run token`);
  }
  if (!hasProcessTable) return 0;
  return await killUntilNone((table) => carriersOf(token, table), createTableSource(0));
}

function carriersOf(token: string, table: ProcessTable): readonly ProcessEntry[] {
  const spared = ancestryOf(process.pid, table);
  const carriers = new Map<number, ProcessEntry>();
  const found = [...(table.byMark.get(token) ?? [])];
  // The list grows while it is read.
  for (const entry of found) {
    if (carriers.has(entry.pid) || spared.has(entry.pid)) continue;
    carriers.set(entry.pid, entry);
    found.push(...(table.byParent.get(entry.pid) ?? []));
  }
  return [...carriers.values()];
}

function ancestryOf(pid: number, table: ProcessTable): ReadonlySet<number> {
  const ancestry = new Set<number>();
  for (let next: number | undefined = pid; next !== undefined && !ancestry.has(next); ) {
    ancestry.add(next);
    next = table.byPid.get(next)?.parentPid;
  }
  return ancestry;
}
