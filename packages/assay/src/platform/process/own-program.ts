import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The command that runs a module of Assay itself in a Node process of its own. */
export function ownProgram(
  module: URL,
  nodeOptions: readonly string[],
): readonly [string, ...string[]] {
  const file = fileURLToPath(module);
  const loader = file.endsWith(".ts") ? [sourceLoader()] : [];
  return [process.execPath, ...nodeOptions, ...loader, file];
}

/** In a checkout the sources run as they are; what is installed is built. */
function sourceLoader(): string {
  const manifest = createRequire(import.meta.url).resolve("jiti/package.json");
  return join(dirname(manifest), "lib", "jiti-cli.mjs");
}
