import type { AgentTaskRunner } from "./runner.ts";

/** A runner whose agent takes inputs of type `I`; the type is for the compiler only. */
export type Target<I> = AgentTaskRunner & { readonly takesInputs?: (inputs: I) => void };
