import type { Attempt } from "../../schema/attempt.ts";
import type { Fact } from "../../schema/fact.ts";
import { roundedMs } from "../../support/timestamps.ts";

/** Different names of one kind that are kept; a run has one or a few. */
const maxNames = 32;

/** What the attempts of a run tell together besides what they cost, those of earlier starts included. */
export class AttemptTotals {
  queueMs = 0;
  #attemptsMs: number | null = null;
  readonly #phasesMs = new Map<string, number>();
  readonly #requested = new Set<string>();
  readonly #served = new Set<string>();
  readonly #images = new Set<string>();
  #cacheHits = 0;
  #cacheMisses = 0;
  #cacheReadTokens: number | null = null;

  add(attempt: Attempt): void {
    const { durationMs } = attempt;
    if (durationMs !== null) this.#attemptsMs = (this.#attemptsMs ?? 0) + durationMs;
    this.queueMs += attempt.queueMs ?? 0;
    const { phasesMs, cacheHit, cacheReadTokens } = attempt;
    for (const phase in phasesMs) {
      const sum = this.#phasesMs.get(phase);
      if (sum !== undefined || this.#phasesMs.size < maxNames)
        this.#phasesMs.set(phase, (sum ?? 0) + (phasesMs[phase] ?? 0));
    }
    keep(this.#requested, attempt.requestedModel);
    keep(this.#served, attempt.servedModel);
    keep(this.#images, attempt.imageDigest);
    if (cacheHit === true) this.#cacheHits += 1;
    else if (cacheHit === false) this.#cacheMisses += 1;
    if (typeof cacheReadTokens === "number")
      this.#cacheReadTokens = Math.min(
        (this.#cacheReadTokens ?? 0) + cacheReadTokens,
        Number.MAX_SAFE_INTEGER,
      );
  }

  attemptsMs(): Fact<number> {
    const sum = this.#attemptsMs;
    return sum === null ? { unknown: "no attempt told how long it took" } : roundedMs(sum);
  }

  phasesMs(): Fact<Readonly<Record<string, number>>> {
    if (this.#phasesMs.size === 0) return { unknown: "no attempt told its phases" };
    const rounded = [...this.#phasesMs].map(([phase, ms]) => [phase, roundedMs(ms)] as const);
    return Object.fromEntries(rounded.sort());
  }

  requestedModels(): readonly string[] {
    return [...this.#requested].sort();
  }

  servedModels(): readonly string[] {
    return [...this.#served].sort();
  }

  imageDigests(): readonly string[] {
    return [...this.#images].sort();
  }

  /** Attempts that were answered as a whole, and tokens of prompts that the provider had already. */
  cache() {
    const [hits, misses, tokens] = [this.#cacheHits, this.#cacheMisses, this.#cacheReadTokens];
    return {
      attempts: hits + misses === 0 ? noCache : { hits, misses },
      promptTokens: tokens === null ? noCache : tokens,
    };
  }
}

const noCache = { unknown: "no attempt told of a cache" };

function keep(names: Set<string>, name: string | null | undefined): void {
  if (name !== null && name !== undefined && names.size < maxNames) names.add(name);
}
