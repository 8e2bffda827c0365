import type { TargetFacts } from "../../contracts/runner.ts";

/** Of a target of which nothing is known, and why. */
export function unknownFacts(reason: string): TargetFacts {
  const unknown = { unknown: reason };
  return {
    model: unknown,
    prompt: unknown,
    sandbox: {
      isolation: unknown,
      provider: unknown,
      image: unknown,
      imageDigest: unknown,
      limits: unknown,
      network: unknown,
    },
  };
}
