import type { CliIo } from "./io.ts";

/** What a command gets and gives back. */
export interface CommandContext {
  readonly io: CliIo;
  /** The words after `assay`. */
  readonly argv: readonly string[];
  /** The exit code of the command; 0 unless it sets another. */
  exitCode: number;
}

/** The one JSON document of `--json`. */
export function printJson({ io }: CommandContext, document: unknown): void {
  io.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

export function printLines({ io }: CommandContext, lines: readonly string[]): void {
  io.stdout.write(`${lines.join("\n")}\n`);
}
