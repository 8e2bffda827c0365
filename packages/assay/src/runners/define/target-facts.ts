import type { SandboxFacts, TargetFacts } from "../../contracts/runner.ts";

/** What a runner says its options amount to; what it leaves out is unknown. */
export type SaidFacts = Partial<Omit<TargetFacts, "sandbox">> & {
  readonly sandbox?: Partial<SandboxFacts>;
};

export function factsOf(said: SaidFacts, runner: string): TargetFacts {
  const unsaid = unknownFacts(`the runner ${runner} does not say`);
  return { ...unsaid, ...said, sandbox: { ...unsaid.sandbox, ...said.sandbox } };
}

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
