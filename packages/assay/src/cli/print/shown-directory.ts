import path from "node:path";

/** A directory as it can be given again: relative where it lies below the working directory. */
export function shownDirectory(dir: string, cwd: string): string {
  const relative = path.relative(cwd, dir);
  if (relative === "") return ".";
  return relative.startsWith("..") ? dir : relative;
}
