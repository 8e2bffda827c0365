import { posix } from "node:path";

import type { CommandResult } from "../../contracts/evidence.ts";
import type { MetricDiagnostic } from "../../contracts/metric.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { metricContext } from "../../templates/metric-context.ts";
import { defineMetric, type OutputDefinition } from "../define/define-metric.ts";
import { tailOf, type Verdict, verdictOf } from "./compute.ts";
import { type CommandVerifierConfig, commandVerifierSchema } from "./config.ts";
import {
  checkHeldOut,
  heldOutDigest,
  heldOutOfTask,
  heldOutSources,
  readHeldOut,
} from "./held-out.ts";

/** Copying a large workspace is not the command's time. */
const overheadMs = 60_000;

/**
 * Runs a command on a throwaway copy of a directory of evidence, with held-out files laid over it, and takes its
 * reward: `reward` (or `rewardKey`) of `reward.json`, else the number in `reward.txt`, both in the command's folder,
 * else 1 for exit code 0 and 0 for any other. Reward files that the agent left are blanked beforehand.
 *
 * Output `reward` (see `outputName`): as the verifier gives it, usually 0 to 1, higher is better; with `threshold` also
 * `passed`. Out of time gives 0 with a warning. A command that cannot be started, or a reward that cannot be read, is a
 * failure of the metric. As deterministic as the command; calls no model. A trial that did not end well and left no
 * such evidence gives 0. Held-out files are never stored; their digest is part of the score. The copy is no sandbox:
 * the command, and agent code that it runs, have the rights of this process.
 */
export const commandVerifier = defineMetric({
  type: "command-verifier",
  description:
    "Reward of a command that is run on a copy of what the agent left; higher is better.",
  config: commandVerifierSchema,
  outputs: ({ outputName, threshold }) => outputsOf(outputName, threshold),
  timeoutMs: ({ timeoutS }) => timeoutS * 1000 + overheadMs,
  prepare: (config) => ({ config, heldOut: heldOutSources(config) }),
  needs: ["evidence"],
  preflight: async ({ heldOut }, context) => await checkHeldOut(heldOut, context),
  contentDigest: async (task, { heldOut }, context) => await heldOutOfTask(heldOut, task, context),
  async compute(input, { config, heldOut }, context) {
    const workspace = await input.candidate.evidence.filesystem(config.evidenceName);
    const laidOver = await readHeldOut(heldOut, metricContext(input), context);
    const [program = "", ...args] = config.command;
    const json = posix.join(config.cwd ?? ".", "reward.json");
    const text = posix.join(config.cwd ?? ".", "reward.txt");
    const result = await workspace.runVerifier({
      command: [program, ...args],
      ...(config.cwd === undefined ? {} : { cwd: config.cwd }),
      overlayFiles: { ...laidOver, [json]: "", [text]: "" },
      timeoutMs: config.timeoutS * 1000,
      env: config.env,
      collect: [json, text],
      signal: context.signal,
    });
    if (result.spawnError !== null) throw notStarted(program, result.spawnError);
    const files = { json: result.collected[json] ?? "", text: result.collected[text] ?? "" };
    const verdict = verdictOf(result, files, config.rewardKey);
    const clean = {
      ...result,
      stdout: context.redact(result.stdout),
      stderr: context.redact(result.stderr),
    };
    const digest = heldOut.length === 0 ? null : heldOutDigest(laidOver);
    return {
      outputs: outputValues(config, verdict.reward),
      diagnostics: [describe(verdict, clean, digest)],
    };
  },
});

function outputsOf(name: string, threshold: number | undefined): OutputDefinition[] {
  const reward = { name, kind: "continuous", description: "Reward of the verifier." } as const;
  if (threshold === undefined) return [reward];
  return [
    reward,
    { name: "passed", kind: "boolean", description: `Whether ${name} is at least ${threshold}.` },
  ];
}

function outputValues({ outputName, threshold }: CommandVerifierConfig, reward: number) {
  return {
    [outputName]: reward,
    ...(threshold === undefined ? {} : { passed: reward >= threshold }),
  };
}

function notStarted(program: string, why: string): AssayError {
  return new AssayError(
    "ASSAY_METRIC_FAILED",
    `metric "command-verifier": ${JSON.stringify(program)} could not be started: ${why}`,
    { data: { metric: "command-verifier" }, remedy: "Install the program, or give its path." },
  );
}

function describe(
  verdict: Verdict,
  result: CommandResult,
  heldOut: string | null,
): MetricDiagnostic {
  const { source, rewards, rejections } = verdict;
  const hasProblem = source === "time limit" || Object.keys(rejections).length > 0;
  return {
    severity: hasProblem ? "warning" : "info",
    message:
      source === "time limit"
        ? "the verifier was stopped by its time limit"
        : `the reward was taken from the ${source}`,
    details: {
      exit_code: result.exitCode,
      reward_source: source,
      ...(Object.keys(rewards).length > 1 ? { reward_details: rewards } : {}),
      ...(Object.keys(rejections).length > 0 ? { reward_rejections: rejections } : {}),
      ...(heldOut === null ? {} : { held_out_digest: heldOut }),
      stdout_tail: tailOf(result.stdout),
      stderr_tail: tailOf(result.stderr),
    },
  };
}
