import { z } from "zod";

/** Lines of `codex exec --json`. Loose: unknown keys, items and events are the tool's business. */
const usage = z.looseObject({
  input_tokens: z.number().optional(),
  cached_input_tokens: z.number().optional(),
  cache_write_input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  reasoning_output_tokens: z.number().optional(),
});

const item = z.looseObject({
  id: z.string().optional(),
  type: z.string(),
  text: z.string().optional(),
  command: z.string().optional(),
  aggregated_output: z.string().optional(),
  exit_code: z.number().nullable().optional(),
  status: z.string().optional(),
  message: z.string().optional(),
  server: z.string().optional(),
  tool: z.string().optional(),
  arguments: z.unknown().optional(),
  result: z.unknown().optional(),
  changes: z.array(z.looseObject({ path: z.string(), kind: z.string().optional() })).optional(),
});

export const codexEventSchema = z.looseObject({
  type: z.string(),
  thread_id: z.string().optional(),
  item: item.optional(),
  usage: usage.optional(),
  error: z.looseObject({ message: z.string().optional() }).optional(),
  message: z.string().optional(),
});

export type CodexEvent = z.output<typeof codexEventSchema>;
export type CodexItem = z.output<typeof item>;
export type CodexUsage = z.output<typeof usage>;
