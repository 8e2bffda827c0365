import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";

import { processMarkVariable, runMarkVariable } from "./process-marks.ts";

/** One living process, as the kernel tells it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly sessionId: number;
  /** Clock ticks since boot. With the pid it names a process for good: pids are used again, pairs are not. */
  readonly startTicks: number;
}

/** All processes at one moment, without those that have ended and only wait to be reaped. */
export interface ProcessTable {
  readonly byPid: ReadonlyMap<number, ProcessEntry>;
  readonly byParent: ReadonlyMap<number, readonly ProcessEntry[]>;
  readonly bySession: ReadonlyMap<number, readonly ProcessEntry[]>;
  /** By the values of the two marks in the environment. */
  readonly byMark: ReadonlyMap<string, readonly ProcessEntry[]>;
}

/** False where the kernel has no /proc (macOS): there only process groups are known. */
export const hasProcessTable = process.platform === "linux" && existsSync("/proc/self/stat");

/** Reads /proc in one go, about 20 µs per process. Environments of processes older than `minStartTicks` are not read. */
export function readProcessTable(minStartTicks: number): ProcessTable {
  const byPid = new Map<number, ProcessEntry>();
  const byParent = new Map<number, ProcessEntry[]>();
  const bySession = new Map<number, ProcessEntry[]>();
  const byMark = new Map<string, ProcessEntry[]>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const entry = Number.isInteger(pid) ? readProcess(pid) : null;
    if (entry === null) continue;
    byPid.set(pid, entry);
    addTo(byParent, entry.parentPid, entry);
    addTo(bySession, entry.sessionId, entry);
    if (entry.startTicks < minStartTicks) continue;
    for (const mark of marksOf(pid)) addTo(byMark, mark, entry);
  }
  return { byPid, byParent, bySession, byMark };
}

/** PF_EXITING: set before the kernel closes the files of a process that ends, so before others see its pipes end. */
const exitingFlag = 0x4;

/** The process as it is now, or null when it is gone, ends or has ended. */
export function readProcess(pid: number): ProcessEntry | null {
  const text = readProcFile(`/proc/${pid}/stat`);
  // The name of the program stands in parentheses and may hold anything, parentheses and spaces too.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "X", parentPid, , sessionId, , , flags] = fields;
  const [threadCount, startTicks] = [Number(fields[17]), Number(fields[19])];
  const isEnding = "ZX".includes(state) || (Number(flags) & exitingFlag) !== 0;
  // The first thread may end before the others: such a process lives on.
  if (Number.isNaN(startTicks) || (isEnding && threadCount <= 1)) return null;
  return { pid, parentPid: Number(parentPid), sessionId: Number(sessionId), startTicks };
}

function marksOf(pid: number): string[] {
  const environment = readProcFile(`/proc/${pid}/environ`);
  if (!environment.includes("ASSAY_")) return [];
  const marks: string[] = [];
  for (const variable of environment.split("\0")) {
    const equals = variable.indexOf("=");
    const name = variable.slice(0, equals);
    if (name === runMarkVariable || name === processMarkVariable)
      marks.push(variable.slice(equals + 1));
  }
  return marks;
}

function addTo(map: Map<number, ProcessEntry[]>, key: number, entry: ProcessEntry): void;
function addTo(map: Map<string, ProcessEntry[]>, key: string, entry: ProcessEntry): void;
function addTo<K>(map: Map<K, ProcessEntry[]>, key: K, entry: ProcessEntry): void {
  const entries = map.get(key);
  if (entries === undefined) map.set(key, [entry]);
  else entries.push(entry);
}

// Files of /proc say that they are empty, so their size must be found by reading; one buffer serves all of them.
let buffer = Buffer.allocUnsafe(16 * 1024);

/** Empty when the process is gone, or is not ours to look at. */
function readProcFile(path: string): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return "";
  }
  try {
    let length = 0;
    for (;;) {
      length += readSync(file, buffer, length, buffer.length - length, length);
      // These files give all they have at once: a read that leaves room was the last.
      if (length < buffer.length) return buffer.toString("latin1", 0, length);
      buffer = Buffer.concat([buffer], buffer.length * 2);
    }
  } catch {
    // The process ended while it was being read (ESRCH).
    return "";
  } finally {
    closeSync(file);
  }
}
