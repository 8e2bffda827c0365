import type { StopSignalName } from "../../contracts/process.ts";
import { pipesOf } from "./holders.ts";
import {
  hasProcessTable,
  type ProcessEntry,
  type ProcessTable,
  readProcess,
} from "./process-table.ts";
import type { TableSource } from "./table-source.ts";

/** A started process and all that came of it. */
export interface ProcessTree {
  readonly leaderPid: number;
  /** The value of its process mark; what inherits the environment carries it too. */
  readonly mark: string;
  /** Members seen so far, and the sessions they lead, each with the start that tells it from a later owner of the pid. */
  readonly known: Map<number, number>;
  /** What it gives its output to, by the kernel's names. */
  readonly pipes: ReadonlySet<string>;
}

/** Processes that will not die (a system call that cannot be interrupted) are left after this many rounds, about 2 s. */
const maxKillRounds = 24;

/** To be called right after the start, while the system still holds the leader's entry. */
export function rememberTree(leaderPid: number, mark: string): ProcessTree {
  const leader = hasProcessTable ? readProcess(leaderPid) : null;
  return {
    leaderPid,
    mark,
    known: new Map(leader === null ? [] : [[leaderPid, leader.startTicks]]),
    pipes: hasProcessTable ? pipesOf(leaderPid) : new Set(),
  };
}

/**
 * The living members: what descends from a member, carries the mark, or is in a session that a member led. Each of
 * the three finds what the others miss: a cleaned environment, a lost parent, a session of its own.
 */
export function membersOf(tree: ProcessTree, table: ProcessTable): readonly ProcessEntry[] {
  const members = new Map<number, ProcessEntry>();
  const found: ProcessEntry[] = [];
  for (const [pid, startTicks] of tree.known) {
    const entry = table.byPid.get(pid);
    const isReused = entry !== undefined && entry.startTicks !== startTicks;
    if (isReused) continue;
    if (entry !== undefined) found.push(entry);
    found.push(...(table.bySession.get(pid) ?? []));
  }
  found.push(...(table.byMark.get(tree.mark) ?? []));
  // The list grows while it is read. Parents come before children, so that none sees a child die before its own signal.
  for (const entry of found) {
    if (members.has(entry.pid) || entry.pid === process.pid) continue;
    members.set(entry.pid, entry);
    tree.known.set(entry.pid, entry.startTicks);
    found.push(...(table.byParent.get(entry.pid) ?? []), ...(table.bySession.get(entry.pid) ?? []));
  }
  return [...members.values()];
}

/** How a tree is asked to end, and how long it has. */
export interface Ending {
  readonly graceMs: number;
  readonly stopSignal: StopSignalName;
}

/** What a program that was asked alone leaves behind has this long, for it may end by itself. */
const leftBehindMs = 2000;

/** Asks the tree to end, gives it its grace, then kills what is left. Answers how many had to be killed. */
export async function endTree(
  tree: ProcessTree,
  { graceMs, stopSignal }: Ending,
  tables: TableSource,
): Promise<number> {
  if (!hasProcessTable) return await endGroup(tree.leaderPid, { graceMs, stopSignal });
  let deadlineMs = performance.now() + graceMs;
  let members = membersOf(tree, await tables.next());
  const isLeader = ({ pid }: ProcessEntry) => pid === tree.leaderPid;
  const isAskedAlone = stopSignal === "SIGINT" && members.some(isLeader);
  signalAll(isAskedAlone ? members.filter(isLeader) : members, stopSignal);
  for (let pauseMs = 5; members.length > 0; pauseMs = Math.min(pauseMs * 2, 50)) {
    if (isAskedAlone && !members.some(isLeader))
      deadlineMs = Math.min(deadlineMs, performance.now() + leftBehindMs);
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) break;
    await pause(Math.min(pauseMs, leftMs));
    members = membersOf(tree, await tables.next());
  }
  return members.length === 0 ? 0 : await killTree(tree, tables);
}

/** Kills every member, again and again until none is found, for members may fork while they are being killed. */
export async function killTree(tree: ProcessTree, tables: TableSource): Promise<number> {
  if (!hasProcessTable) return signalGroup(tree.leaderPid, "SIGKILL") ? 1 : 0;
  return await killUntilNone((table) => membersOf(tree, table), tables);
}

export async function killUntilNone(
  find: (table: ProcessTable) => readonly ProcessEntry[],
  tables: TableSource,
): Promise<number> {
  const killed = new Set<string>();
  for (let round = 0; round < maxKillRounds; round += 1) {
    const members = find(await tables.next());
    if (members.length === 0) break;
    for (const member of signalAll(members, "SIGKILL"))
      killed.add(`${member.pid}:${member.startTicks}`);
    await pause(Math.min(2 ** round, 100));
  }
  return killed.size;
}

/** Signals the processes that are still the ones meant, and answers which they were. */
export function signalAll(
  entries: readonly ProcessEntry[],
  signalName: NodeJS.Signals,
): readonly ProcessEntry[] {
  return entries.filter((entry) => {
    const isSame = readProcess(entry.pid)?.startTicks === entry.startTicks;
    return isSame && send(entry.pid, signalName);
  });
}

/** True when the group has members. */
export function signalGroup(leaderPid: number, signalName: NodeJS.Signals | 0): boolean {
  return send(-leaderPid, signalName);
}

/** What is done where there is no table of processes: ends the group of the leader. */
export async function endGroup(
  leaderPid: number,
  { graceMs, stopSignal }: Ending,
): Promise<number> {
  const deadlineMs = performance.now() + graceMs;
  if (stopSignal === "SIGINT") send(leaderPid, stopSignal);
  else signalGroup(leaderPid, stopSignal);
  while (signalGroup(leaderPid, 0)) {
    if (performance.now() >= deadlineMs) return signalGroup(leaderPid, "SIGKILL") ? 1 : 0;
    await pause(20);
  }
  return 0;
}

function send(pid: number, signalName: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signalName);
    return true;
  } catch {
    // It ended by itself (ESRCH), or took another user's identity (EPERM) and is out of reach.
    return false;
  }
}

/** Real time, not the injected clock: the system's processes end in no other. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
