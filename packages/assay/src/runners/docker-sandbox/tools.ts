import { z } from "zod";

import type { ExecRequest, ExecResult, Sandbox } from "../../contracts/sandbox.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { formatPath } from "../../schema/decode-problems.ts";
import { cutMark } from "../../support/cut-text.ts";
import { copyPlain } from "../../support/json.ts";
import type { ToolDefinition } from "./agents-package.ts";
import type { Turns } from "./turns.ts";

/** Of each output, what the model is shown. */
const shownBytes = 32 * 1024;
const defaultCommandS = 120;

export interface ToolPlace {
  readonly sandbox: Sandbox;
  /** Of the attempt. */
  readonly signal: AbortSignal;
  readonly graceMs: number;
  readonly turns: Turns;
  /** Told when the sandbox is lost or its engine fails: no answer of the model can mend that. */
  readonly onLost: (error: AssayError) => void;
}

/** What goes in by a variable: the system bounds one, and none can hold a NUL. */
const given = () =>
  z
    .string()
    .min(1)
    .max(32_000)
    .refine((text) => !text.includes("\0"), "must not hold a NUL character");

const command = z.strictObject({
  command: given().describe("Run by `sh` in /workspace."),
  timeout_s: z
    .number()
    .positive()
    .max(24 * 3600)
    .optional()
    .describe(`Seconds before it is ended; ${defaultCommandS} by default.`),
});
const reading = z.strictObject({
  path: given().describe("Absolute, or relative to /workspace."),
});
const writing = reading.extend({ content: z.string().describe("The whole text of the file.") });

/** The tools of the agent: all they do is done in the sandbox. */
export function toolsOf(place: ToolPlace): readonly ToolDefinition[] {
  return [
    toolOf("shell", "Runs a shell command and tells its exit code and output.", command, (given) =>
      runShell(place, given),
    ),
    toolOf("read_file", "Gives the text of a file.", reading, ({ path }) =>
      runFileTool(place, {
        script: 'cat -- "$given"',
        given: path,
        onSuccess: ({ stdout }) => textOf(stdout),
      }),
    ),
    toolOf("write_file", "Writes a text file, its folders too.", writing, ({ path, content }) =>
      runFileTool(place, {
        script: 'mkdir -p -- "$(dirname -- "$given")" && cat >"$given"',
        given: path,
        stdin: content,
        onSuccess: () => `${path} is written`,
      }),
    ),
  ];
}

function toolOf<S extends z.ZodObject>(
  name: string,
  description: string,
  schema: S,
  work: (given: z.output<S>) => Promise<string>,
): ToolDefinition {
  return {
    name,
    description,
    // Not every endpoint knows the strict form; what a model gives is checked here.
    strict: false,
    parameters: parametersOf(schema),
    async execute(input) {
      const parsed = schema.safeParse(input);
      if (parsed.success) return await work(parsed.data);
      const problems = parsed.error.issues.map(
        ({ path, message }) => `${formatPath(path.map(String))} ${message}`,
      );
      return `The arguments do not fit: ${problems.join("; ")}`;
    },
  };
}

/** Plain data alone: whatever else zod puts on it, the library takes for a schema of its own kind. */
function parametersOf(schema: z.ZodObject): object {
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(schema, { target: "draft-7" });
  return copyPlain(parameters);
}

async function runShell(
  place: ToolPlace,
  { command: text, timeout_s: timeoutS = defaultCommandS }: z.output<typeof command>,
): Promise<string> {
  const result = await execIn(place, {
    script: 'eval "$given"',
    given: text,
    timeoutMs: timeoutS * 1000,
  });
  if (typeof result === "string") return result;
  return [
    endingOf(result, timeoutS),
    `stdout:\n${textOf(result.stdout)}`,
    ...(result.stderr.totalBytes === 0 ? [] : [`stderr:\n${textOf(result.stderr)}`]),
  ].join("\n");
}

function endingOf({ ending, exitCode }: ExecResult, timeoutS: number): string {
  if (ending === "timed_out") return `ended after ${timeoutS} s: it took too long`;
  if (ending === "oom_killed") return "ended: the container ran out of memory";
  return `exit code: ${exitCode ?? "unknown"}`;
}

interface Work {
  /** For `sh`, with what the model gave in the variable `given`. */
  readonly script: string;
  readonly given: string;
  readonly stdin?: string;
}

interface FileWork extends Work {
  readonly onSuccess: (result: ExecResult) => string;
}

const givenVariable = "ASSAY_GIVEN";

async function runFileTool(place: ToolPlace, { onSuccess, ...request }: FileWork): Promise<string> {
  const result = await execIn(place, { ...request, timeoutMs: defaultCommandS * 1000 });
  if (typeof result === "string") return result;
  if (result.ending === "exited" && result.exitCode === 0) return onSuccess(result);
  const said = result.stderr.text.trim();
  return `It failed: ${said === "" ? endingOf(result, defaultCommandS) : said}`;
}

/**
 * A text when there is nothing to tell but that the work was ended. What the model gave goes in by the environment: a
 * command line can be read by any user of the machine, and a model may repeat what it should not.
 */
async function execIn(
  { sandbox, signal, graceMs, turns, onLost }: ToolPlace,
  { script, given, ...more }: Work & { readonly timeoutMs: number },
): Promise<ExecResult | string> {
  const kept = { keepBytes: shownBytes };
  const request: ExecRequest = {
    ...more,
    argv: ["sh", "-c", `given=$${givenVariable}; unset ${givenVariable}; ${script}`],
    env: { [givenVariable]: given },
  };
  let result: ExecResult;
  try {
    result = await turns.take(() =>
      sandbox.exec({ ...request, stdout: kept, stderr: kept, graceMs, signal }),
    );
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
    onLost(thrown);
    return "The sandbox failed.";
  }
  if (result.ending === "died" || result.ending === "vanished" || !result.isSandboxRunning) {
    const problem = `the container ${sandbox.name} ${result.ending} under the agent`;
    if (result.ending !== "oom_killed") onLost(new AssayError("ASSAY_SANDBOX_FAILED", problem));
    return "The sandbox is gone.";
  }
  return result.ending === "cancelled" ? "The work was ended." : result;
}

function textOf({ text, totalBytes, isTruncated }: ExecResult["stdout"]): string {
  if (!isTruncated) return text;
  const shown = text.endsWith(cutMark) ? text : `${text}${cutMark}`;
  return `${shown} (the first ${shownBytes} of ${totalBytes} bytes)`;
}
