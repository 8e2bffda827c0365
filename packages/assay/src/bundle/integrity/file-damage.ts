import { AssayError } from "../../errors/assay-error.ts";

/** A file that is not what the bundle's digests say. */
export interface FileDamage {
  /** Relative to the bundle. */
  readonly path: string;
  /** What it should be, `sha256:<hex>` where it is a file; null when it should not be there. */
  readonly expected: string | null;
  /** What it is; null when it is not there. */
  readonly found: string | null;
}

/** A digest as people compare it. */
export function sha256Text(hex: string): string {
  return `sha256:${hex}`;
}

const shownFiles = 20;

/** Names each file with what was expected and found; `data.files` has all of them. */
export function damageError(
  dir: string,
  damages: readonly FileDamage[],
  cause?: unknown,
): AssayError {
  const hidden = damages.length - shownFiles;
  const lines = [
    `the bundle "${dir}" is not as it was sealed`,
    ...damages.slice(0, shownFiles).map(damageText),
    ...(hidden > 0 ? [`and ${hidden} more`] : []),
  ];
  return new AssayError("ASSAY_BUNDLE_DAMAGED", lines.join("\n  "), {
    data: { path: dir, files: damages },
    remedy: "Get the bundle again from its source; nothing of it was used.",
    ...(cause === undefined ? {} : { cause }),
  });
}

function damageText({ path, expected, found }: FileDamage): string {
  if (expected === null) return `${path}: it was added (${found})`;
  if (found === null) return `${path}: it is missing, expected ${expected}`;
  return `${path}: expected ${expected}, found ${found}`;
}
