import { z } from "zod";

import { AssayError } from "../../errors/assay-error.ts";
import { parseValue } from "../../schema/codec.ts";
import { stringMap } from "../../schema/free-form.ts";
import type { RunOptions } from "../api.ts";

const count = () => z.int().positive().optional();

const runOptionsSchema = z.strictObject({
  workDir: z.string().min(1, "must not be empty").nullable().optional(),
  runId: z.string().regex(/\S/, "must not be blank").optional(),
  signal: z.instanceof(AbortSignal).optional(),
  overrides: z.array(z.unknown()).optional(),
  trialsPerTask: count(),
  concurrency: count(),
  scoringConcurrency: count(),
  failFast: z.boolean().optional(),
  labels: stringMap().optional(),
  taskIds: z.array(z.string()).min(1, "names no task").optional(),
  limit: count(),
  maxCostUsd: z.number().positive().optional(),
  maxTokens: count(),
  maxDurationS: z.number().positive().optional(),
  maxFailedTrials: count(),
  resume: z.boolean().optional(),
  retryFailed: z.boolean().optional(),
  allowDrift: z.boolean().optional(),
  takeOver: z.boolean().optional(),
  signKeyFile: z.string().min(1, "must not be empty").optional(),
  digest: z.string().optional(),
  onEvent: z.custom((value) => typeof value === "function", "must be a function").optional(),
  invocation: z.array(z.string()).optional(),
} satisfies Record<keyof RunOptions, z.ZodType>);

/** Refuses options that do not exist or cannot be; nothing that was asked for is passed over. */
export function checkRunOptions(options: RunOptions): void {
  parseValue(runOptionsSchema, options, { source: "options of the run" });
  const stray = resumeOnly.find(
    (name) => (options[name] ?? false) !== false && options.resume !== true,
  );
  if (stray === undefined) return;
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    `${stray} (--${stray.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}) means nothing without resume`,
    {
      remedy: "Resume the run in its directory, or leave the option out.",
    },
  );
}

const resumeOnly = ["retryFailed", "allowDrift", "takeOver", "digest"] as const;
