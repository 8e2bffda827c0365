import { mkdirSync, mkdtempSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * A new folder for tests that run Codex. Not below the temporary directory, where Codex refuses to have its home, and
 * not in the checkout, which may itself lie there. The caller removes it.
 */
export function folderForCodex(prefix: string): string {
  const parent = join(homedir(), ".cache/assay-tests");
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  return mkdtempSync(join(parent, `${prefix}-`));
}
