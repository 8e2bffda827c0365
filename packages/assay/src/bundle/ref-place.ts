/** Whether a ref is an address, such as a URL. One letter before the colon is a drive of Windows. */
export function hasScheme(ref: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]+:/.test(ref);
}

/** Whether a path is one of its system alone, POSIX or Windows. */
export function isAbsolutePath(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:)/.test(path);
}

/**
 * Where a ref leads by its text: `inside` its bundle, `out` of it by its own steps, to an `address`, or `elsewhere`: an
 * absolute path or a file URI, as runners give for what is not theirs to hand over.
 */
export type RefPlace = "inside" | "out" | "address" | "elsewhere";

export function placeOfRef(ref: string): RefPlace {
  if (/^file:/i.test(ref) || isAbsolutePath(ref)) return "elsewhere";
  if (hasScheme(ref)) return "address";
  let depth = 0;
  for (const step of ref.split(/[\\/]/)) {
    if (step === "..") depth -= 1;
    else if (step !== "" && step !== ".") depth += 1;
    if (depth < 0) return "out";
  }
  return ref.includes("\0") ? "out" : "inside";
}
