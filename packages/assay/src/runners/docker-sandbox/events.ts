import { z } from "zod";

/** A field of another shape than expected is as good as absent. */
const lenient = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/** Events of a streamed run of @openai/agents 0.20. Loose: what is not read is the library's business. */
const content = lenient(
  z.array(
    z.looseObject({
      type: lenient(z.string()),
      text: lenient(z.string()),
      refusal: lenient(z.string()),
    }),
  ),
);

const rawItem = z.looseObject({
  name: lenient(z.string()),
  callId: lenient(z.string()),
  arguments: lenient(z.string()),
  content,
  rawContent: content,
});

const runItem = z.looseObject({
  type: z.string(),
  rawItem: lenient(rawItem),
  output: z.unknown().optional(),
});

const cached = lenient(z.union([z.looseObject({}), z.array(z.looseObject({}))]));

const usage = z.looseObject({
  inputTokens: lenient(z.number()),
  outputTokens: lenient(z.number()),
  totalTokens: lenient(z.number()),
  inputTokensDetails: cached,
});

const modelData = z.looseObject({
  type: lenient(z.string()),
  response: lenient(z.looseObject({ usage: lenient(usage) })),
  event: lenient(
    z.looseObject({
      model: lenient(z.string()),
      response: lenient(z.looseObject({ model: lenient(z.string()) })),
    }),
  ),
});

export const runEventSchema = z.looseObject({
  type: z.string(),
  item: lenient(runItem),
  data: lenient(modelData),
});

export type RunItem = z.output<typeof runItem>;
export type ModelData = z.output<typeof modelData>;
export type ModelUsage = z.output<typeof usage>;
