import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

const program = /(?<!\.test|\.d)\.(?:[jt]s|py)$/;

/**
 * SHA-256 of each program file below a folder, by its relative path. At once and not bit by bit: hundreds of small files
 * are read in a tenth of the time so.
 */
export function digestProgramFiles(root: string): Readonly<Record<string, string>> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  return Object.fromEntries(
    names
      .filter((name) => program.test(name))
      .map((name) => {
        const sha256 = createHash("sha256")
          .update(readFileSync(join(root, name)))
          .digest("hex");
        return [name.split(sep).join("/"), sha256];
      }),
  );
}
