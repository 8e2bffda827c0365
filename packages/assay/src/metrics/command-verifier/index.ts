import { posix } from "node:path";

import type { CommandResult, Evidence, FilesystemEvidence } from "../../contracts/evidence.ts";
import type { MetricDiagnostic, MetricResult } from "../../contracts/metric.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { JsonObject } from "../../support/json.ts";
import { metricContext } from "../../templates/metric-context.ts";
import {
  defineMetric,
  type MetricFactory,
  type OutputDefinition,
  type StrictSchema,
} from "../define/define-metric.ts";
import { metricFailure } from "../define/metric-failure.ts";
import { noReward, tailOf, type Verdict, verdictOf } from "./compute.ts";
import {
  type CommandVerifierConfig,
  commandVerifierSchema,
  type commandVerifierSettings,
} from "./config.ts";
import {
  checkHeldOut,
  type HeldOutFiles,
  heldOutDigest,
  heldOutOfTask,
  heldOutSources,
  readHeldOut,
} from "./held-out.ts";
import { isOfAgent } from "./program.ts";
import { VerifierContainers } from "./sandbox.ts";

/** Copying a large workspace is not the command's time. */
const overheadMs = 60_000;

/**
 * Runs a command on a throwaway copy of a directory of evidence, with held-out files laid over it, and takes its
 * reward: `reward` (or `rewardKey`) of `reward.json`, else the number in `reward.txt`, both in the command's folder,
 * else 1 for exit code 0 and 0 for any other. Reward files that the agent left are blanked beforehand.
 *
 * Output `reward` (see `outputName`): as the verifier gives it, usually 0 to 1, higher is better; with `threshold` also
 * `passed`. What the agent may have caused gives 0 with a warning, for it must not leave the average: no such evidence,
 * a command inside the copy that is missing or cannot be run, out of time, a reward that cannot be read. What only the
 * suite's author can have caused is a failure of the metric: a program that is not on PATH, a held-out file that is
 * missing or cannot be run. As deterministic as the command; calls no model. Held-out files are never stored; their
 * digest is part of the score. Without `sandbox` the command, and agent code that it runs, have the rights of this
 * process; with it they run in a container, where the held-out files cannot be written.
 */
export const commandVerifier: MetricFactory<StrictSchema<typeof commandVerifierSettings>> =
  defineMetric({
    type: "command-verifier",
    description:
      "Reward of a command that is run on a copy of what the agent left; higher is better.",
    config: commandVerifierSchema,
    outputs: ({ outputName, threshold }) => outputsOf(outputName, threshold),
    timeoutMs: ({ timeoutS }) => timeoutS * 1000 + overheadMs,
    prepare: (config) => ({
      config,
      heldOut: heldOutSources(config),
      containers: config.sandbox === undefined ? null : new VerifierContainers(config.sandbox),
    }),
    needs: ["evidence"],
    preflight: async ({ heldOut, containers }, context) => {
      await checkHeldOut(heldOut, context);
      await containers?.image(context);
    },
    contentDigest: async (task, { heldOut, containers }, context) => {
      const files = await heldOutOfTask(heldOut, task, context);
      if (containers === null) return files;
      return [files ?? "none", (await containers.image(context)).digest].join(" in ");
    },
    async compute(input, { config, heldOut, containers }, context) {
      const laidOver = await readHeldOut(heldOut, metricContext(input), context);
      const workspace = await directoryOf(input.candidate.evidence, config.evidenceName);
      if ("missing" in workspace) return resultOf(config, noReward(workspace.missing), {});
      const [program = "", ...args] = config.command;
      const json = posix.join(config.cwd ?? ".", "reward.json");
      const text = posix.join(config.cwd ?? ".", "reward.txt");
      const result = await workspace.runVerifier({
        command: [program, ...args],
        ...(config.cwd === undefined ? {} : { cwd: config.cwd }),
        overlayFiles: laidOver,
        blankFiles: [json, text],
        ...(containers === null
          ? {}
          : { sandbox: await containers.forTrial(input.row.trial.id, context) }),
        timeoutMs: config.timeoutS * 1000,
        env: config.env,
        collect: [json, text],
        signal: context.signal,
      });
      const reward = (path: string) =>
        result.uncollectable.includes(path) ? null : context.redact(result.collected[path] ?? "");
      const verdict =
        result.spawnError === null
          ? verdictOf(result, { json: reward(json), text: reward(text) }, config.rewardKey)
          : verdictOfUnstarted(config, result, laidOver);
      return resultOf(config, verdict, {
        exit_code: result.exitCode,
        ...(result.sandbox === undefined ? {} : { sandbox: result.sandbox }),
        ...(heldOut.length === 0 ? {} : { held_out_digest: heldOutDigest(laidOver) }),
        stdout_tail: tailOf(context.redact(result.stdout)),
        stderr_tail: tailOf(context.redact(result.stderr)),
      });
    },
  });

/** The directory, or why there is none: what a trial leaves behind is its agent's doing. */
async function directoryOf(
  evidence: Evidence,
  name: string,
): Promise<FilesystemEvidence | { readonly missing: string }> {
  try {
    return await evidence.filesystem(name);
  } catch (thrown) {
    if (AssayError.isInstance(thrown) && thrown.code === "ASSAY_EVIDENCE_UNAVAILABLE")
      return { missing: thrown.message };
    throw thrown;
  }
}

/** Throws when it is not the agent's doing. */
function verdictOfUnstarted(
  { command, cwd }: CommandVerifierConfig,
  { spawnError, spawnErrorCode }: CommandResult,
  heldOut: HeldOutFiles,
): Verdict {
  const [program = ""] = command;
  const problem = `the command could not be run: ${spawnError}`;
  if (isOfAgent({ program, cwd, spawnErrorCode, heldOut: Object.keys(heldOut) }))
    return noReward(problem);
  throw metricFailure("command-verifier", `: ${problem}`, {
    remedy:
      "Install the program, or give its path; a held-out script is run by its interpreter, as in [sh, run-tests.sh].",
  });
}

function outputsOf(name: string, threshold: number | undefined): OutputDefinition[] {
  const reward = { name, kind: "continuous", description: "Reward of the verifier." } as const;
  if (threshold === undefined) return [reward];
  return [
    reward,
    { name: "passed", kind: "boolean", description: `Whether ${name} is at least ${threshold}.` },
  ];
}

function resultOf(
  { outputName, threshold }: CommandVerifierConfig,
  verdict: Verdict,
  facts: JsonObject,
): MetricResult {
  const { reward, problem } = verdict;
  const isPassed = threshold !== undefined && problem === null && reward >= threshold;
  return {
    outputs: { [outputName]: reward, ...(threshold === undefined ? {} : { passed: isPassed }) },
    diagnostics: [describe(verdict, facts)],
  };
}

function describe(verdict: Verdict, facts: JsonObject): MetricDiagnostic {
  const { source, problem, rewards, rejections } = verdict;
  const isUsual = problem === null && Object.keys(rejections).length === 0;
  return {
    severity: isUsual ? "info" : "warning",
    message:
      problem === null ? `the reward was taken from the ${source}` : `the reward is 0: ${problem}`,
    details: {
      reward_source: source,
      ...(Object.keys(rewards).length > 1 ? { reward_details: rewards } : {}),
      ...(Object.keys(rejections).length > 0 ? { reward_rejections: rejections } : {}),
      ...facts,
    },
  };
}
