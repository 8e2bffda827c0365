import { posix } from "node:path";

/** The machine has no room for another process, whoever wrote the program. */
const shortages: readonly (string | null)[] = ["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"];

interface UnstartedProgram {
  readonly program: string;
  /** Relative to the copy. */
  readonly cwd: string | undefined;
  readonly spawnErrorCode: string | null;
  /** Paths of the held-out files in the copy. */
  readonly heldOut: readonly string[];
}

/**
 * Whether a program could not be started for what the agent left, or did not leave: its path lies inside the copy, and
 * it is no held-out file. A bare name is looked up on PATH, an absolute path lies outside: those are the author's.
 */
export function isOfAgent({ program, cwd, spawnErrorCode, heldOut }: UnstartedProgram): boolean {
  if (!program.includes("/") || posix.isAbsolute(program)) return false;
  if (spawnErrorCode === null || shortages.includes(spawnErrorCode)) return false;
  const inCopy = posix.join(cwd ?? ".", program);
  const isInside = inCopy !== ".." && !inCopy.startsWith("../");
  return isInside && !heldOut.some((path) => posix.normalize(path) === inCopy);
}
