/** The text of a relative link in parts: how often it goes up, then the names it goes down. */
export interface InnerLink {
  readonly upward: number;
  readonly names: readonly string[];
}

/**
 * A link in a directory `depth` below some root, when it cannot lead out of that root whatever lies there; null for any
 * other. `..` is accepted at the beginning only: after a name it would go up from wherever a link of that name leads.
 */
export function innerLink(target: string, depth: number): InnerLink | null {
  if (target.startsWith("/")) return null;
  const parts = target.split("/").filter((part) => part !== "" && part !== ".");
  const firstName = parts.findIndex((part) => part !== "..");
  const upward = firstName === -1 ? parts.length : firstName;
  const names = parts.slice(upward);
  return upward <= depth && !names.includes("..") ? { upward, names } : null;
}
