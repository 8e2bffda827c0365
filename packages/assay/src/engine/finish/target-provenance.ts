import type { OptionPlace } from "../../contracts/runner.ts";
import type { Fact } from "../../schema/fact.ts";
import type { ProvenancePredicate } from "../../schema/provenance.ts";
import { digestOf } from "../../support/digest.ts";
import { getOwn, isPlainObject, type JsonValue } from "../../support/json.ts";
import { formatOptionPath } from "../../support/option-path.ts";
import type { OptionOrigin } from "../../support/options.ts";
import type { PreparedRun } from "../run-state.ts";
import type { AttemptTotals } from "../trials/attempt-totals.ts";

type TargetSections = Pick<
  ProvenancePredicate,
  "runner" | "models" | "prompt" | "sandbox" | "tool"
>;

/** What was evaluated: its options, and what they amounted to before and while it ran. */
export function targetSections(run: PreparedRun, totals: AttemptTotals): TargetSections {
  const { info, target } = run;
  const { origins, roles } = target.options;
  return {
    runner: { ...info, origins, roles },
    models: modelFacts(run, totals),
    prompt: promptFact(run),
    sandbox: sandboxFacts(run, totals),
    tool: toolFact(run),
  };
}

function modelFacts(run: PreparedRun, totals: AttemptTotals): TargetSections["models"] {
  const { model } = run.target.facts;
  const served = totals.servedModels();
  return {
    ...("unknown" in model
      ? { requested: toldBy(totals, model), setBy: model }
      : { requested: model.name, setBy: placeFact(run, model.setBy) }),
    served: served.length > 0 ? [...served] : { unknown: "no attempt told what answered" },
  };
}

/** What the options leave open, the attempts may have told. */
function toldBy(totals: AttemptTotals, unknown: { readonly unknown: string }): Fact<string> {
  const told = totals.requestedModels();
  const [first] = told;
  if (first === undefined) return unknown;
  return told.length === 1 ? first : { unknown: `several were asked for: ${told.join(", ")}` };
}

function placeFact({ target: { options } }: PreparedRun, place: OptionPlace) {
  return { option: formatOptionPath(place), origin: originOf(options.origins, place) };
}

/** Of the nearest part around the place that was set by itself. */
function originOf(origins: Readonly<Record<string, OptionOrigin>>, place: OptionPlace) {
  for (let length = place.length; length > 0; length -= 1) {
    const origin = getOwn(origins, formatOptionPath(place.slice(0, length)));
    if (origin !== undefined) return origin as OptionOrigin;
  }
  return "runner";
}

function promptFact({ target: { facts }, info, digests }: PreparedRun): TargetSections["prompt"] {
  const { prompt } = facts;
  if ("unknown" in prompt) return prompt;
  const { setBy, isSuiteCode } = prompt;
  const value = valueAt(info.config, setBy);
  const code = isSuiteCode ? digests.code : null;
  return {
    option: formatOptionPath(setBy),
    digest:
      isSuiteCode && code === null
        ? { unknown: "it is a function, and the suite was built by a program" }
        : digestOf("prompt", { value, code }),
  };
}

function valueAt(config: JsonValue, path: readonly string[]): JsonValue {
  let at: unknown = config;
  for (const segment of path) at = isPlainObject(at) ? getOwn(at, segment) : undefined;
  return (at ?? null) as JsonValue;
}

function sandboxFacts({ target }: PreparedRun, totals: AttemptTotals): TargetSections["sandbox"] {
  const { imageDigest, ...sandbox } = target.facts.sandbox;
  const ran = totals.imageDigests();
  const known = typeof imageDigest === "string" ? [imageDigest] : imageDigest;
  return { ...sandbox, imageDigest: ran.length > 0 ? [...ran] : known };
}

function toolFact({ tool }: PreparedRun): TargetSections["tool"] {
  if (tool === null) return { unknown: "the runner has no probe" };
  return {
    version: tool.version ?? { unknown: "the tool has no version" },
    resolved: tool.resolved,
    observed: tool.observed ?? {},
  };
}
