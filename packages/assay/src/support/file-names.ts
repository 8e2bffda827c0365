import { sha256Hex } from "./digest.ts";

const maxLength = 120;
const reservedOnWindows = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;
const endsLikeDigest = /(^|-)[0-9a-f]{12}$/;

/**
 * The readable part of an id as a file name: ASCII letters, digits, `.`, `_`, `-` are kept, anything else becomes `-`
 * (file systems disagree on how other letters are normalised); `.` and `-` are trimmed from both ends; at most 120
 * characters. May be empty. Not unique.
 */
export function safeName(id: string): string {
  return id
    .replace(/[^A-Za-z0-9._-]/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, maxLength)
    .replace(/[.-]+$/, "");
}

/** The folder of a task: `000000-<safe id>`; unique by its index, whatever the id is. */
export function taskFolder(taskIndex: number, taskId: string): string {
  const index = String(taskIndex).padStart(6, "0");
  const name = safeName(taskId);
  return name === "" ? `task-${index}` : `${index}-${name}`;
}

/** A folder name for an id that has no index: the id itself where it can be, else a readable part and a digest. */
export function uniqueName(id: string): string {
  const name = safeName(id);
  const isReserved = reservedOnWindows.test(name);
  const isFaithful =
    name === id && id !== "" && id === id.toLowerCase() && !endsLikeDigest.test(id);
  if (isFaithful && !isReserved) return name;
  const digest = sha256Hex(id).slice(0, 12);
  if (name === "") return digest;
  return `${isReserved ? "_" : ""}${name.slice(0, 100)}-${digest}`;
}
