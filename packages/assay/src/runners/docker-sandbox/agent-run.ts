import type { AssayError } from "../../errors/assay-error.ts";
import type { AttemptContext } from "../define/attempt-context.ts";
import type { LoadedAgents, StreamedRun } from "./agents-package.ts";
import { endpointOf } from "./endpoint.ts";
import type { RunReader } from "./event-reader.ts";
import { clientSettings } from "./invocation.ts";
import type { DockerSandboxSettings } from "./options.ts";
import { type ToolPlace, toolsOf } from "./tools.ts";
import { Turns } from "./turns.ts";

/** Of one agent at once: an answer of a model may hold any number of calls. */
const maxCommands = 8;

export type DockerSandboxContext = AttemptContext<DockerSandboxSettings>;

/** How the run of an agent ended. */
export type AgentEnding = { readonly rawResponses: unknown } & (
  | { readonly kind: "completed"; readonly finalOutput: unknown }
  | { readonly kind: "threw"; readonly thrown: unknown }
  | { readonly kind: "lost"; readonly error: AssayError }
);

export interface AgentWork {
  readonly sandbox: ToolPlace["sandbox"];
  readonly prompt: string;
  readonly reader: RunReader;
}

/** Runs the agent to its end, or until the attempt is stopped or the sandbox is lost. */
export async function runAgent(
  { library, OpenAI }: LoadedAgents,
  { sandbox, prompt, reader }: AgentWork,
  context: DockerSandboxContext,
): Promise<AgentEnding> {
  const { options, signal, graceMs, secrets } = context;
  const endpoint = endpointOf(options.baseUrl, context);
  const lost = new AbortController();
  let loss: AssayError | null = null;
  const onLost = (error: AssayError) => {
    loss ??= error;
    lost.abort(error);
  };
  const place = { sandbox, graceMs: graceMs / 4, signal, onLost, turns: new Turns(maxCommands) };
  const agent = new library.Agent({
    name: "assay",
    instructions: options.instructions,
    tools: toolsOf(place).map((tool) => library.tool(tool)),
    ...(options.model === null ? {} : { model: options.model }),
  });
  const runner = new library.Runner({
    modelProvider: new library.OpenAIProvider({
      openAIClient: new OpenAI(clientSettings(options, { secrets, endpoint })),
      useResponses: options.api === "responses",
    }),
    // It would send what the agent does to a server of its own.
    tracingDisabled: true,
    toolNotFoundBehavior: "return_error_to_model",
  });
  let run: StreamedRun | null = null;
  let thrown: unknown = null;
  try {
    run = await runner.run(agent, prompt, {
      stream: true,
      signal: AbortSignal.any([signal, lost.signal]),
      maxTurns: options.maxTurns,
    });
    for await (const event of run) reader.read(event);
    await run.completed;
  } catch (error) {
    thrown = error;
  }
  const rawResponses = run?.rawResponses ?? [];
  if (loss !== null) return { kind: "lost", error: loss, rawResponses };
  if (thrown !== null || run === null) return { kind: "threw", thrown, rawResponses };
  // Of a run that was stopped there is none, and the library would complain on the console.
  const finalOutput = signal.aborted ? undefined : run.finalOutput;
  return { kind: "completed", finalOutput, rawResponses };
}
