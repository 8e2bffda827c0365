const byExtension: Readonly<Record<string, string>> = {
  ".json": "application/json",
  ".jsonl": "application/jsonl",
  ".txt": "text/plain",
  ".md": "text/markdown",
  ".html": "text/html",
  ".csv": "text/csv",
  ".patch": "text/x-diff",
  ".diff": "text/x-diff",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".pdf": "application/pdf",
};

/** A guess from the name, for readers; nothing is decided by it. */
export function mediaTypeOf(name: string, isBinary: boolean): string {
  const dot = name.lastIndexOf(".");
  const known = dot < 0 ? undefined : byExtension[name.slice(dot).toLowerCase()];
  return known ?? (isBinary ? "application/octet-stream" : "text/plain");
}
