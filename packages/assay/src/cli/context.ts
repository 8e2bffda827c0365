import type { Suite } from "../entries/index.ts";
import type { CliIo } from "./io.ts";
import { orStalled } from "./stop-control.ts";

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

/** Loads a suite, or rejects when the signal aborts; from when its file is read, no error that is told shows its secrets. */
export async function load(
  { io, secrets }: CommandContext,
  file: string,
  { parameters = {}, signal }: LoadOptions,
): Promise<Suite> {
  const { AssayError, loadSuite } = await import("../entries/index.ts");
  const loading = loadSuite(file, {
    parameters,
    env: io.env,
    onSecrets: (names) => {
      for (const name of names) secrets.add(name);
    },
  });
  const toError = (reason: string) =>
    new AssayError("ASSAY_SUITE_LOAD_FAILED", `${file}: ${reason}`);
  return await orStalled(loading, signal, toError);
}

interface LoadOptions {
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
}

/**
 * The one JSON document of `--json`. What a bundle holds may have been written by anybody: it is redacted as it is shown,
 * and no mark in it reorders what a terminal shows.
 */
export async function printJson(context: CommandContext, document: unknown): Promise<void> {
  const { redactDocument, visibleJson } = await import("../entries/index.ts");
  const { io, secrets } = context;
  const text = await redactDocument(JSON.stringify(document, null, 2), io.env, secrets);
  io.stdout.write(`${visibleJson(text)}\n`);
}

export async function printLines(context: CommandContext, lines: readonly string[]): Promise<void> {
  const { redactText } = await import("../entries/index.ts");
  const { io, secrets } = context;
  io.stdout.write(`${await redactText(lines.join("\n"), io.env, secrets)}\n`);
}
