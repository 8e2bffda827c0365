import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that lives as long as the test that asks for it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "assay-platform-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes a FIFO: opening it the plain way waits for somebody at its other end. */
export function makeFifo(path: string): void {
  execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", path]);
}
