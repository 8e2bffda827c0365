import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";

import type { ProcessEntry, ProcessTable } from "./process-table.ts";

/**
 * The processes of this user that live below a directory: their working directory, program or root lies there, or they
 * write to a file there. It finds those that have left their parents and session and cleaned their environment; one that
 * holds nothing there is out of reach. Processes older than `minStartTicks` are not looked at.
 *
 * `directory` is a real path, and is not resolved here: what agents may write to may be a link to anywhere by now.
 */
export function holdersBelow(
  directory: string,
  table: ProcessTable,
  minStartTicks: number,
): readonly ProcessEntry[] {
  const prefix = `${directory}/`;
  return [...table.byPid.values()].filter(
    (entry) =>
      entry.startTicks >= minStartTicks && holdsBelow(entry.pid, prefix) && isOurs(entry.pid),
  );
}

function holdsBelow(pid: number, prefix: string): boolean {
  const isBelow = (link: string) => `${readLink(`/proc/${pid}/${link}`)}/`.startsWith(prefix);
  return ["cwd", "exe", "root"].some(isBelow) || openFiles(pid).some(isWrittenBelow);

  function isWrittenBelow(file: string): boolean {
    return isBelow(`fd/${file}`) && isWritable(`/proc/${pid}/fdinfo/${file}`);
  }
}

/** The pipes that a process that was only just started writes to, by the kernel's names; none where it has ended. */
export function pipesOf(pid: number): ReadonlySet<string> {
  const links = [1, 2, 3].map((file) => readLink(`/proc/${pid}/fd/${file}`));
  return new Set(links.filter((link) => /^(?:pipe|socket):/.test(link)));
}

/** The processes of this user that hold one of these pipes, whatever they left and cleaned. */
export function holdersOfPipes(
  pipes: ReadonlySet<string>,
  table: ProcessTable,
  minStartTicks: number,
): readonly ProcessEntry[] {
  const holdsOne = ({ pid }: ProcessEntry) =>
    openFiles(pid).some((file) => pipes.has(readLink(`/proc/${pid}/fd/${file}`)));
  return [...table.byPid.values()].filter(
    (entry) => entry.startTicks >= minStartTicks && entry.pid !== process.pid && holdsOne(entry),
  );
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // It ended, is a thread of the kernel, or is not ours to look at.
    return "";
  }
}

function openFiles(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    return [];
  }
}

const accessMode = 0o3;

/** Who only reads is a bystander. */
function isWritable(infoPath: string): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(infoPath, "latin1"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & accessMode) !== 0;
  } catch {
    return false;
  }
}

function isOurs(pid: number): boolean {
  try {
    return statSync(`/proc/${pid}`).uid === process.geteuid?.();
  } catch {
    return false;
  }
}
