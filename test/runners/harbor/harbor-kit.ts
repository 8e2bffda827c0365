import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";

import { repoRoot } from "../../support/tools.ts";

/** Programs that stand in for Harbor and docker, before all others. */
export const standInPath = [
  join(repoRoot, "test/runners/harbor/stand-ins"),
  process.env["PATH"] ?? "",
].join(delimiter);

/** A folder of real files that is removed after the test. */
export function folder(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "assay-harbor-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** What the trials of a task come to, in the stand-in: the last entry for all further ones. */
export type TrialScript = Readonly<Record<string, unknown>>;

/** Writes a Harbor task; answers its folder. */
export function writeTask(
  dataset: string,
  name: string,
  trials: readonly TrialScript[] = [{}],
  toml = `version = "1.0"\n[task]\nname = "acme/${name}"\n`,
): string {
  const place = join(dataset, name);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "task.toml"), toml);
  writeFileSync(join(place, "instruction.md"), `Do ${name}.\n`);
  writeFileSync(join(place, "trials.json"), JSON.stringify(trials));
  return place;
}

/** The task of Assay that stands for a folder. */
export function taskOf(place: string, name: string) {
  return {
    id: `acme/${name}`,
    inputs: { instruction: `Do ${name}.` },
    metadata: { harbor_task_dir: place },
  };
}

/** A trial's `result.json`, with what a test is about laid over it. */
export function resultOf(more: Readonly<Record<string, unknown>> = {}) {
  return {
    id: "5b1e",
    task_name: "acme/add-two",
    trial_name: "add-two__ab12cde",
    trial_uri: "file:///jobs/j/add-two__ab12cde",
    task_id: { path: "/ds/add-two" },
    source: "local",
    task_checksum: "9f",
    config: { trial_name: "add-two__ab12cde" },
    agent_info: { name: "oracle", version: "1.0.0", model_info: null },
    agent_result: {
      n_input_tokens: 120,
      n_cache_tokens: 20,
      n_output_tokens: 15,
      cost_usd: 0.001,
      metadata: null,
    },
    verifier_result: { rewards: { reward: 1 } },
    exception_info: null,
    started_at: "2026-01-02T03:04:05Z",
    finished_at: "2026-01-02T03:05:05Z",
    environment_setup: null,
    agent_setup: null,
    agent_execution: null,
    verifier: null,
    step_results: null,
    ...more,
  };
}
