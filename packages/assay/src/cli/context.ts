import type { Suite } from "../entries/index.ts";
import type { CliIo } from "./io.ts";

/** What a command gets and gives back. */
export interface CommandContext {
  readonly io: CliIo;
  /** The words after `assay`. */
  readonly argv: readonly string[];
  /** Names of variables that suites declare as secret: what is told of errors shows no value of one. */
  readonly secrets: Set<string>;
  /** The exit code of the command; 0 unless it sets another. */
  exitCode: number;
}

/** Loads a suite; from when its file is read, no error that is told shows its secrets. */
export async function load(
  { io, secrets }: CommandContext,
  file: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Suite> {
  const { loadSuite } = await import("../entries/index.ts");
  return await loadSuite(file, {
    parameters,
    env: io.env,
    onSecrets: (names) => {
      for (const name of names) secrets.add(name);
    },
  });
}

/** The one JSON document of `--json`. */
export function printJson({ io }: CommandContext, document: unknown): void {
  io.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

export function printLines({ io }: CommandContext, lines: readonly string[]): void {
  io.stdout.write(`${lines.join("\n")}\n`);
}
