import { z } from "zod";

/** A field of another shape than expected is as good as absent: it must not cost the rest of its line. */
const lenient = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/** Lines of `codex exec --json`. Loose: unknown keys, items and events are the tool's business. */
const usage = z.looseObject({
  input_tokens: lenient(z.number()),
  cached_input_tokens: lenient(z.number()),
  cache_write_input_tokens: lenient(z.number()),
  output_tokens: lenient(z.number()),
  reasoning_output_tokens: lenient(z.number()),
});

const item = z.looseObject({
  id: lenient(z.string()),
  type: z.string(),
  text: lenient(z.string()),
  command: lenient(z.string()),
  aggregated_output: lenient(z.string()),
  exit_code: lenient(z.number().nullable()),
  status: lenient(z.string()),
  message: lenient(z.string()),
  server: lenient(z.string()),
  tool: lenient(z.string()),
  query: lenient(z.string()),
  arguments: z.unknown().optional(),
  result: z.unknown().optional(),
  changes: lenient(z.array(z.looseObject({ path: z.string(), kind: lenient(z.string()) }))),
});

export const codexEventSchema = z.looseObject({
  type: z.string(),
  thread_id: lenient(z.string()),
  item: lenient(item),
  usage: lenient(usage),
  error: lenient(z.looseObject({ message: lenient(z.string()) })),
  message: lenient(z.string()),
});

export type CodexEvent = z.output<typeof codexEventSchema>;
export type CodexItem = z.output<typeof item>;
export type CodexUsage = z.output<typeof usage>;
