import type { UsageDraft } from "../define/usage.ts";
import type { RunResult } from "./run-result.ts";

/** What a result says of its own use; Assay's count of the prompt has the cached part in it. */
export function usageOfResult({ usage }: Pick<RunResult, "usage">): UsageDraft {
  if (usage === null) return {};
  const { input_tokens: input, cached_input_tokens: cached } = usage;
  const isApart = usage.input_tokens_include_cache === false;
  return {
    promptTokens: isApart && input !== null ? input + (cached ?? 0) : input,
    completionTokens: usage.output_tokens,
    totalTokens: usage.total_tokens,
    cacheReadTokens: cached,
    costUsd: usage.cost_usd,
  };
}

/** Field by field the first that is known: never a sum of two that count the same. */
export function firstKnown(...drafts: readonly (UsageDraft | null)[]): UsageDraft {
  const known = drafts.flatMap((draft) =>
    Object.entries(draft ?? {}).filter(([, value]) => typeof value === "number"),
  );
  return Object.fromEntries(known.reverse());
}
