import { hasProcessTable, readProcessTable } from "./process-table.ts";
import { membersOf, type ProcessTree, signalAll, signalGroup } from "./process-tree.ts";
import { hostStartTicks } from "./table-source.ts";

const guarded = new Set<ProcessTree>();

/** Kills the tree, at once and without waiting, should the host process end before `releaseTree`. */
export function guardTree(tree: ProcessTree): void {
  if (guarded.size === 0) process.on("exit", killGuarded);
  guarded.add(tree);
}

export function releaseTree(tree: ProcessTree): void {
  guarded.delete(tree);
  if (guarded.size === 0) process.off("exit", killGuarded);
}

function killGuarded(): void {
  if (!hasProcessTable) {
    for (const tree of guarded) signalGroup(tree.leaderPid, "SIGKILL");
    return;
  }
  // More than once, for what forks while it is being killed.
  for (let round = 0; round < 3; round += 1) {
    const table = readProcessTable(hostStartTicks());
    for (const tree of guarded) signalAll(membersOf(tree, table), "SIGKILL");
  }
}
