//#region runner
import { join } from "node:path";
import { AssayError } from "assay";
import { credential, defineRunner, operational, shapes, TrialFailure } from "assay/runners";
import { z } from "zod";

/** Runs the program `echo-agent`, once per trial. */
export const echoAgent = defineRunner({
  name: "echo_agent",
  description: "Runs the echo-agent program, once per trial.",
  needs: ["echo-agent"],
  options: {
    model: shapes(z.string().min(1).describe("The model that the agent is told to use.")),
    timeoutS: shapes(z.number().positive().default(600).describe("Seconds one trial may take.")),
    command: operational(
      z.string().default("echo-agent").describe("The program: a name on PATH, or a path."),
      "the program is identified by its version, not by where it lies",
    ),
    apiKey: credential(z.string().optional().describe("What the agent calls its model with.")),
  },
  facts: ({ model, timeoutS }) => ({
    model: { name: model, setBy: ["model"] },
    sandbox: { isolation: "none", limits: { timeout_s: timeoutS } },
  }),
  timeLimitS: ({ timeoutS }) => timeoutS,
  trialIdSuffix: () => "echo",

  async probe({ command }, { process, scratch, signal }) {
    const program = await process.find(command);
    if (program === null) {
      throw new AssayError("ASSAY_TOOL_NOT_FOUND", `"${command}" is not on PATH`);
    }
    const { stdout } = await process.run({
      argv: [program, "--version"],
      cwd: scratch,
      env: process.baseEnv(),
      signal,
    });
    const [, version = null] = stdout.text.trim().split(" ");
    return { version, resolved: {}, observed: { program } };
  },

  async run({ id, inputs }, context) {
    const { options, process, signal, graceMs, step, usage } = context;
    const { instruction } = inputs;
    if (typeof instruction !== "string" || instruction === "") {
      throw new TrialFailure("MissingInstruction", `task "${id}" has no inputs.instruction`);
    }
    const { path: workspace } = await context.workspace();
    const log = join(await context.directory(), "stdout.jsonl");
    const events: EchoEvent[] = [];

    const result = await process.run({
      argv: [options.command, "--model", options.model],
      cwd: workspace,
      env: { ...process.baseEnv(), HOME: workspace, ECHO_API_KEY: options.apiKey ?? "" },
      stdin: instruction,
      stdout: {
        file: log,
        maxBytes: 4 * 1024 * 1024,
        onLine: (line) => {
          const event = readEvent(line);
          if (event !== null) events.push(event);
        },
      },
      signal,
      graceMs,
    });

    if (result.ending === "spawn_failed") {
      // Nobody's fault but the machine's: another attempt is made.
      throw new AssayError("ASSAY_PROCESS_SPAWN_FAILED", `echo-agent: ${result.spawnError}`);
    }
    context.evidence.add("agent_stream", { kind: "agent_stream", format: "text", ref: log });
    for (const event of events) {
      if (event.type === "message")
        step({ message: event.text.slice(0, 10_000), model: options.model });
      if (event.type === "usage") {
        const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = event;
        usage.add({ promptTokens, completionTokens });
      }
    }
    const reply = events.find((event) => event.type === "reply");
    const draft = {
      output: reply?.text ?? null,
      metadata: { exit_code: result.exitCode, stdout_truncated: result.stdout.isTruncated },
      models: { requested: options.model },
    };
    if (result.exitCode !== 0) {
      const message = `echo-agent ended with ${result.exitCode}: ${result.stderr.text.trim()}`;
      return { ...draft, error: { type: "AgentExitError", message } };
    }
    if (reply === undefined) {
      return { ...draft, error: { type: "OutputUnreadable", message: "echo-agent gave no reply" } };
    }
    return draft;
  },
});

const eventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message"), text: z.string() }),
  z.object({ type: z.literal("reply"), text: z.string() }),
  z.object({ type: z.literal("usage"), prompt_tokens: z.int(), completion_tokens: z.int() }),
]);
type EchoEvent = z.infer<typeof eventSchema>;

/** Lines that are no event are left to the log. */
function readEvent(line: string): EchoEvent | null {
  try {
    return eventSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
//#endregion runner
