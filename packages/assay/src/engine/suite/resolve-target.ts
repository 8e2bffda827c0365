import {
  type AgentTaskRunner,
  optionalRunnerMethods,
  requiredRunnerMethods,
  runnerContractVersion,
} from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { RunnerMap } from "../../runners/map.ts";
import { fromWire } from "../../schema/codec.ts";
import { targetSpecSchema } from "../../schema/suite.ts";
import { describeKind, type JsonObject } from "../../support/json.ts";
import { didYouMean } from "../../support/names.ts";
import { atPlace } from "./source-place.ts";
import type { SpecFile } from "./spec-file.ts";

/** A live target. Throws `ASSAY_TARGET_INVALID` with the name of the first member that is missing or wrong. */
export function checkTarget(target: unknown): AgentTaskRunner {
  if (typeof target !== "object" || target === null) {
    const hint = typeof target === "function" ? "; call it, or make an instance of it" : "";
    throw noRunner(`it is ${describeKind(target)}${hint}`);
  }
  const runner = target as Partial<Record<keyof AgentTaskRunner, unknown>>;
  for (const member of requiredRunnerMethods)
    if (typeof runner[member] !== "function")
      throw noRunner(`it has no method \`${member}\``, member);
  if (runner.contractVersion !== runnerContractVersion) {
    const given = String(runner.contractVersion);
    throw noRunner(
      `its \`contractVersion\` is ${given}, and ${runnerContractVersion} is the version known here`,
      "contractVersion",
    );
  }
  for (const member of optionalRunnerMethods) {
    const value = runner[member];
    if (value !== undefined && typeof value !== "function")
      throw noRunner(`its \`${member}\` is ${describeKind(value)}, not a method`, member);
  }
  return target as AgentTaskRunner;
}

function noRunner(why: string, member?: string): AssayError {
  const data = member === undefined ? {} : { member };
  return new AssayError("ASSAY_TARGET_INVALID", `target is no runner: ${why}`, { data });
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
