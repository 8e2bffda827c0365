import type { AgentTaskRunner } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { RunnerMap } from "../../runners/map.ts";
import { fromWire } from "../../schema/codec.ts";
import { targetSpecSchema } from "../../schema/suite.ts";
import { describeKind, type JsonObject } from "../../support/json.ts";
import { didYouMean } from "../../support/names.ts";
import { atPlace } from "./source-place.ts";
import type { SpecFile } from "./spec-file.ts";

/** A live target, refused with the name of what it lacks. */
export function checkTarget(target: unknown): AgentTaskRunner {
  const missing = missingMember(target);
  if (missing === null) return target as AgentTaskRunner;
  throw new AssayError("ASSAY_TARGET_INVALID", `target is no runner: ${missing}`);
}

function missingMember(target: unknown): string | null {
  if (typeof target !== "object" || target === null) return `it is ${describeKind(target)}`;
  const runner = target as Partial<Record<keyof AgentTaskRunner, unknown>>;
  if (typeof runner.runnerInfo !== "function") return "it has no method `runnerInfo`";
  if (typeof runner.runTasks !== "function") return "it has no method `runTasks`";
  if (runner.contractVersion !== 1)
    return `its \`contractVersion\` is ${String(runner.contractVersion)}, and 1 is the version known here`;
  return null;
}

/** The target of a YAML or JSON suite: `{ kind: <runner>, ...options }`. */
export async function targetFromSpec(
  spec: JsonObject,
  file: SpecFile,
  runners: RunnerMap,
): Promise<AgentTaskRunner> {
  const place = (path: readonly PropertyKey[]) => file.place(["target", ...path]);
  const { kind, ...options } = fromWire(targetSpecSchema, spec, {
    source: place([]),
    place,
    code: "ASSAY_SUITE_INVALID",
  });
  const load = Object.hasOwn(runners, kind) ? runners[kind] : undefined;
  if (load === undefined) {
    const known = Object.keys(runners);
    throw new AssayError(
      "ASSAY_NAME_UNKNOWN",
      `${place(["kind"])}: no runner is called "${kind}"${didYouMean(kind, known)}; there is ${known.join(", ")}`,
    );
  }
  try {
    return (await load()).fromConfig(options);
  } catch (problem) {
    if (!AssayError.isInstance(problem)) throw problem;
    const { key } = problem.data;
    throw atPlace(problem, place(typeof key === "string" ? key.split(".") : []));
  }
}
