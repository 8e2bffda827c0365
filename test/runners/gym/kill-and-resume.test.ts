import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";

import { assay, folder, startAssay } from "../../cli/e2e/assay-process.ts";
import { isRunning } from "../../platform/real-processes.ts";
import { fakeGym, type Note } from "./run-gym.ts";

const withinMs = 120_000;
const rows = ["a", "b", "c"].map((input) => ({ responses_create_params: { input }, fake: {} }));

function suiteFolder() {
  const root = folder({ "data.jsonl": rows.map((row) => `${JSON.stringify(row)}\n`).join("") });
  const scene = {
    notes: join(root, "notes.jsonl"),
    neverEndsAfter: 3,
    holdsUnless: join(root, "go"),
  };
  const suite = `
name: killed
tasks: { jsonl: data.jsonl, format: gym }
trials_per_task: 2
metrics: [{ type: gym_reward }]
target:
  kind: gym
  agent: simple_agent
  resources_server: mcqa
  gym_bin: ${fakeGym}
  env_vars: { FAKE_GYM: '${JSON.stringify(scene)}' }
`;
  writeFileSync(join(root, "suite.yaml"), suite);
  const lines = (file: string) =>
    readFileSync(join(root, file), "utf8")
      .trim()
      .split("\n")
      .filter((line) => line !== "");
  const notes = () => lines("notes.jsonl").map((line) => JSON.parse(line) as Note);
  return { root, notes, lines };
}

it(
  "a run of Gym that is killed half-way has what was finished, is resumed for the rest, and leaves nothing alive",
  async () => {
    const { root, notes, lines } = suiteFolder();
    const args = ["run", "suite.yaml", "--out", "out"];
    const first = startAssay(args, { cwd: root });
    await vi.waitFor(() => expect(lines("out/trials.jsonl")).toHaveLength(3), {
      timeout: 60_000,
      interval: 50,
    });
    first.kill("SIGKILL");
    await first.ended;
    const kept = lines("out/trials.jsonl").map((line) => JSON.parse(line).id as string);
    writeFileSync(join(root, "go"), "");

    const second = await assay([...args, "--resume", "--json"], { cwd: root });

    expect([second.exitCode, second.stderr]).toStrictEqual([0, expect.anything()]);
    const trials = lines("out/trials.jsonl").map((line) => JSON.parse(line));
    expect(trials).toHaveLength(6);
    expect(trials.map(({ id }) => id as string)).toStrictEqual(expect.arrayContaining(kept));
    const jobs = notes().filter(({ words }) => words[0] === "eval");
    // Two rollouts of one task and one of another had come: one collection for each count that is left.
    const repeats = jobs.map(({ words }) => words[words.indexOf("--num-repeats") + 1]);
    expect(repeats).toStrictEqual(["2", "1", "2"]);
    const summary = readFileSync(join(root, "out/summary.json"), "utf8");
    expect(summary).toContain('"gym_reward.reward"');
    expect(summary).not.toContain("runner.gym.");
    const pids = notes().flatMap(({ pid, helper }) => [pid, helper ?? pid]);
    expect(pids.filter(isRunning)).toStrictEqual([]);
    expect(readdirSync(join(root, ".cache/assay/scratch"))).toStrictEqual([]);
  },
  withinMs,
);
