import { z } from "zod";

/** A file that a workspace starts with. A bare string in `inputs.files` is inline text. */
export const inlineSeedSchema = z.strictObject({
  kind: z.literal("inline"),
  content: z.string().describe("The bytes, as text or base64."),
  encoding: z.enum(["text", "base64"]).default("text"),
});

export const pathSeedSchema = z.strictObject({
  kind: z.literal("path"),
  path: z
    .string()
    .min(1)
    .describe("A file of the author's machine, relative to the suite; `~` is expanded."),
});
