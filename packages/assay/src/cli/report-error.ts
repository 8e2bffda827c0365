import { CommanderError } from "commander";
import { createColors } from "picocolors";

import { describeDisturbance } from "./builtins.ts";
import type { CliIo } from "./io.ts";

/** Tells an error the way its kind deserves, and gives the exit code. */
export async function reportError(
  thrown: unknown,
  { io, isJson, command, secrets }: ErrorContext,
): Promise<number> {
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
  const { exitCodeOf, redactText, visibleText } = await import("../entries/index.ts");
  const error = await assayErrorOf(thrown, command);
  const { code, fault } = error;
  const shown = async (text: string) => visibleText(await redactText(text, io.env, secrets));
  const message = await shown(error.message);
  const remedy = await shown(error.remedy);
  const exitCode = exitCodeOf(fault);
  if (isJson) {
    io.stdout.write(
      `${JSON.stringify({ error: { code, message, remedy, exit_code: exitCode } }, null, 2)}\n`,
    );
    return exitCode;
  }
  const { bold, red } = createColors(io.stderr.isTTY && (io.env["NO_COLOR"] ?? "") === "");
  io.stderr.write(`${red(bold("error:"))} ${message}\n  fix: ${remedy}\n  code: ${code}\n`);
  if (fault === "bug") {
    const { stack = "" } = error.cause instanceof Error ? error.cause : error;
    io.stderr.write(`${await shown(stack)}\nThis is a bug in Assay.\n`);
  }
  return exitCode;
}

interface ErrorContext {
  readonly io: CliIo;
  readonly isJson: boolean;
  /** First word of the command line. */
  readonly command: string;
  /** Names of variables that are known to be declared as secret. */
  readonly secrets: ReadonlySet<string>;
}

async function assayErrorOf(thrown: unknown, command: string) {
  const { AssayError } = await import("../entries/index.ts");
  if (AssayError.isInstance(thrown)) return thrown;
  if (thrown instanceof CommanderError) {
    const message = thrown.message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
    const isKnown = /^[a-z]+$/.test(command) && thrown.code !== "commander.unknownCommand";
    const remedy = `Read \`assay ${isKnown ? `${command} ` : ""}--help\`.`;
    return new AssayError("ASSAY_USAGE", message, { cause: thrown, remedy });
  }
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  const disturbance = describeDisturbance();
  if (disturbance !== null) {
    const message = `code of the suite or of an agent ${disturbance} in this process, and something broke: ${text}`;
    return new AssayError("ASSAY_PROCESS_DISTURBED", message, { cause: thrown });
  }
  return new AssayError("ASSAY_INVARIANT", text, { cause: thrown });
}
