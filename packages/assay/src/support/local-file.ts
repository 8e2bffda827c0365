import path from "node:path";

/** A file of the suite's author; what lies in node_modules is a package and is represented by the lockfile. */
export function isLocalFile(file: string): boolean {
  return path.isAbsolute(file) && !file.split(path.sep).includes("node_modules");
}
