import { closeSync, fstatSync, openSync, writeSync } from "node:fs";

const stdoutFd = 1;
const stderrFd = 2;

/**
 * Keeps the standard output for whoever calls: the function given back writes to it, and descriptor 1, which other code
 * and child processes know it by, leads to stderr from then on. A socket, such as Node gives to its children, cannot be
 * opened again: where stdout is one this gives null, and where stderr is one descriptor 1 leads nowhere.
 */
export function takeStdout(): ((text: string) => void) | null {
  if (isSameFile()) return null;
  const own = openAgain(`/dev/fd/${stdoutFd}`);
  if (own === null) return null;
  closeSync(stdoutFd);
  // The system gives the lowest free number, which is the one that was just closed.
  if (openAgain(`/dev/fd/${stderrFd}`) === null) openAgain("/dev/null");
  return (text) => writeAll(own, Buffer.from(text));
}

/** Both lead to one place: nothing can be kept apart there. */
function isSameFile(): boolean {
  const [out, err] = [fstatSync(stdoutFd), fstatSync(stderrFd)];
  return out.dev === err.dev && out.ino === err.ino;
}

function openAgain(path: string): number | null {
  try {
    return openSync(path, "a");
  } catch {
    // The caller does without.
    return null;
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
