import type { StreamFacts } from "./event-reader.ts";

/** What the stream of events told, as the trial's metadata has it. */
export function streamMetadata(stream: StreamFacts) {
  const { threadId, turnCount, commandCount, reasoningTokens, malformedLineCount, warnings } =
    stream;
  return {
    thread_id: threadId,
    turns: turnCount,
    commands: commandCount,
    reasoning_tokens: reasoningTokens,
    ...(malformedLineCount > 0 ? { malformed_lines: malformedLineCount } : {}),
    ...(warnings.length > 0 ? { warnings: [...warnings] } : {}),
  };
}
