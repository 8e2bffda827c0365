import path from "node:path";

/** True for an absolute path that lies below `root` by its text; links are not looked at. */
export function isBelow(root: string, candidate: string): boolean {
  if (!path.isAbsolute(candidate)) return false;
  const relative = path.relative(root, candidate);
  const leaves = relative === ".." || relative.startsWith(`..${path.sep}`);
  return relative !== "" && !leaves && !path.isAbsolute(relative);
}
