import path from "node:path";

import type { SandboxImage } from "../../contracts/sandbox.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { JsonObject } from "../../support/json.ts";
import type { EventReader } from "../codex/event-reader.ts";
import { addEvidence } from "../codex/evidence-files.ts";
import { takeFinalOutput } from "../codex/final-output.ts";
import { codexProblem } from "../codex/outcome.ts";
import { streamMetadata } from "../codex/stream-metadata.ts";
import { type TakenWorkspace, workspaceMetadata } from "../define/container/workspace.ts";
import type { AgentErrorDraft, TrialDraft } from "../define/draft.ts";
import { places } from "./invocation.ts";
import type { CodexDockerContext, ContainerRun } from "./run-in-container.ts";

/** What a container gave before it was stopped. */
interface Ended {
  readonly run: ContainerRun;
  readonly collected: TakenWorkspace;
  readonly stream: ReturnType<EventReader["end"]>;
  readonly record: JsonObject;
}

/** The draft of a trial, from what Codex said and left in its container. */
export async function draftOf(
  { run, collected, stream, record }: Ended,
  {
    directory,
    model,
    image,
    context,
  }: {
    readonly directory: string;
    readonly model: string | null;
    readonly image: SandboxImage;
    readonly context: CodexDockerContext;
  },
): Promise<TrialDraft> {
  const { files, options } = context;
  const file = path.join(directory, path.basename(places.finalOutput));
  const final = await takeFinalOutput(file, stream.lastMessage, files);
  if ((await files.stat(file)) !== null) addEvidence(context, directory, ["final_output"]);
  const error = memoryProblem(run, options.memoryMib) ?? codexProblem(run, stream) ?? final.error;
  if (error === null && collected.problem !== null) {
    throw new AssayError(
      "ASSAY_SANDBOX_FAILED",
      `what Codex left could not be copied out of its container: ${collected.problem}`,
    );
  }
  const identity = { runtime: "codex_docker_cli", agent: "codex", agent_model: model };
  const isTruncated = run.result.stdout.isTruncated || run.result.stderr.isTruncated;
  return {
    output: final.text === null ? null : { outputText: final.text, metadata: identity },
    ...(error === null ? {} : { error }),
    metadata: {
      ...identity,
      generated: true,
      isolation: "container",
      sandbox: record,
      exit_code: run.exitCode,
      ...streamMetadata(stream),
      ...(isTruncated ? { output_truncated: true } : {}),
      ...workspaceMetadata(collected),
    },
    models: { requested: model, served: null },
    imageDigest: image.digest,
  };
}

function memoryProblem({ result }: ContainerRun, memoryMib: number | null): AgentErrorDraft | null {
  if (result.ending !== "oom_killed") return null;
  const limit = memoryMib === null ? "what the engine has" : `${memoryMib} MiB`;
  return { type: "AgentExitError", message: `codex exec ran out of memory: it had ${limit}` };
}
