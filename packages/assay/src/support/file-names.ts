import { sha256Hex } from "./digest.ts";

const maxLength = 120;
const reservedOnWindows = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/**
 * The readable part of an id as a file name: letters, digits, `.`, `_`, `-` are kept, anything else becomes `-`;
 * `.` and `-` are trimmed from both ends; at most 120 characters. May be empty. Not unique.
 */
export function safeName(id: string): string {
  return id
    .replace(/[^\p{L}\p{N}._-]/gu, "-")
    .replace(/^[.-]+|[.-]+$/g, "")
    .slice(0, maxLength)
    .replace(/[.-]+$/, "");
}

/** The folder of a task: `000000-<safe id>`; unique by its index, whatever the id is. */
export function taskFolder(taskIndex: number, taskId: string): string {
  const index = String(taskIndex).padStart(6, "0");
  const name = asciiName(taskId);
  return name === "" ? `task-${index}` : `${index}-${name}`;
}

/** A folder name for an id that has no index: readable where it can be, with a digest where the name alone would be ambiguous. */
export function uniqueName(id: string): string {
  const name = asciiName(id);
  const isFaithful = name === id && id === id.toLowerCase() && !reservedOnWindows.test(id);
  if (isFaithful) return name;
  const digest = sha256Hex(id).slice(0, 12);
  return name === "" ? digest : `${name.slice(0, 100)}-${digest}`;
}

/** Stored paths keep to ASCII: file systems disagree on how other letters are normalised. */
function asciiName(id: string): string {
  return safeName(id.replace(/[^\x20-\x7e]/g, "-"));
}
