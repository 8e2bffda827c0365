import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";

import { assay, folder, startAssay } from "../../cli/e2e/assay-process.ts";
import { isRunning } from "../../platform/real-processes.ts";
import { fakeGym, fakeTarget, type Note } from "./run-gym.ts";

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
${fakeTarget(scene)}`;
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

it(
  "a Gym without uv is refused before a server is started, in the words of doctor; one beside it is found wherever PATH leads",
  async () => {
    const { root, notes } = suiteFolder();
    const [beside, path] = [join(root, "gym/bin"), join(root, "path")];
    for (const place of [beside, path]) mkdirSync(place, { recursive: true });
    symlinkSync(process.execPath, join(path, "node"));
    for (const name of ["sh", "sleep"]) symlinkSync(join("/bin", name), join(path, name));
    const gym = join(beside, "gym");
    copyFileSync(fakeGym, gym);
    const suite = readFileSync(join(root, "suite.yaml"), "utf8").replace(fakeGym, gym);
    writeFileSync(join(root, "suite.yaml"), suite);
    const args = ["run", "suite.yaml", "--out", "out"];

    const refused = await assay(args, { cwd: root, env: { PATH: path } });

    const problem = `NeMo Gym needs 'uv', which is neither in "${beside}" nor on PATH`;
    const remedy = "Install it with `pip install uv` in the environment of NeMo Gym.";
    expect([refused.exitCode, refused.stderr]).toStrictEqual([3, expect.stringContaining(problem)]);
    expect(refused.stderr).toContain(remedy);
    expect(readdirSync(root)).not.toContain("notes.jsonl");
    symlinkSync(gym, join(path, "gym"));
    const told = await assay(["doctor", "--json"], { cwd: root, env: { PATH: path } });
    expect(JSON.parse(told.stdout)).toMatchObject({
      runners: expect.arrayContaining([
        {
          name: "gym",
          state: "missing",
          version: null,
          problem: problem.replace(beside, path),
          remedy,
        },
      ]),
    });

    copyFileSync(join(fakeGym, "../uv"), join(beside, "uv"));
    writeFileSync(join(root, "go"), "");
    const run = await assay(args, { cwd: root, env: { PATH: path } });

    expect([run.exitCode, run.stderr]).toStrictEqual([0, expect.anything()]);
    const servers = notes().find(({ words }) => words[1] === "start");
    expect(servers?.env?.["PATH"]?.split(":")[0]).toBe(beside);
  },
  withinMs,
);
