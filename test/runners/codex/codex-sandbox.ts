import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { codexPath, defineTool } from "../../support/tools.ts";

/** What tests need where the real Codex runs commands in its own sandbox, which many containers do not let it make. */
export const sandboxedCodex: readonly string[] = ["codex", "codex-sandbox"];

defineTool("codex-sandbox", () => {
  const codex = codexPath();
  if (codex === null) return "the Codex CLI is not installed";
  const home = mkdtempSync(join(tmpdir(), "assay-codex-sandbox-"));
  const env = { PATH: process.env["PATH"], HOME: home, CODEX_HOME: home };
  const { status } = spawnSync(codex, ["sandbox", "--", "true"], { env, timeout: 30_000 });
  rmSync(home, { recursive: true, force: true });
  return status === 0 ? null : "this system does not let Codex make its sandbox";
});
