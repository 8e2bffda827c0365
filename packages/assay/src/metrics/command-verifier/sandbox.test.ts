import { chmodSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

import {
  baseImage,
  commandLines,
  type DockerKit,
  dockerKit,
} from "../../../../../test/sandbox/docker-kit.ts";
import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import { describeNeeds } from "../../../../../test/support/tools.ts";
import { makeTree } from "../../../../../test/support/trees.ts";
import type { MetricContext } from "../../contracts/metric.ts";
import { type TestRunContext, testRunContext } from "../../testing/run-context.ts";
import { commandVerifier } from "./index.ts";

type Settings = Parameters<typeof commandVerifier>[0];

const withinMs = 90_000;
const suite = makeTree({
  "held-out/check.sh": 'test "$(cat answer.txt)" = 5',
  "held-out/tests/data.txt": "5",
});
/** What an honest agent left. */
const workspace = makeTree({
  "answer.txt": "5",
  "reward.json": '{"reward": 1}',
  "own/prog": "#!/bin/sh\nexit 0\n",
  "own/note": "",
});
chmodSync(join(workspace.root, "own/prog"), 0o755);
symlinkSync("answer.txt", join(workspace.root, "link.txt"));
symlinkSync("/etc/passwd", join(workspace.root, "outward"));

/** What a hostile agent left: in the way of what is laid over, and programs that do what they can. */
const hostile = makeTree({
  "check.sh/in-the-way": "",
  "answer.txt": "0",
  "attack.sh": `
for file in verdict.sh tests/data.txt; do
  echo 'exit 0' > $file; rm -rf $file; mv $file away; ln -sf /bin/true $file; cp /bin/true $file
done
mount -o remount,rw /workspace/verdict.sh; umount /workspace/verdict.sh
wget -q -T 2 -O - http://host.docker.internal/ && echo reached
true
`,
});
symlinkSync("/", join(hostile.root, "tests"));
symlinkSync("/etc/passwd", join(hostile.root, "reward.txt"));

afterAll(() => {
  for (const tree of [suite, workspace, hostile]) tree.remove();
});

const shell = (script: string): [string, ...string[]] => ["sh", "-c", script];

describeNeeds("docker", "commandVerifier in a container", () => {
  let kit: DockerKit;
  let run: TestRunContext;
  let context: MetricContext;
  beforeAll(async () => {
    kit = dockerKit();
    run = await testRunContext({});
    context = metricContextOf({ baseDir: suite.root, sandboxes: run.sandboxes });
  }, withinMs);
  afterAll(async () => {
    await run.dispose();
    await kit.dispose();
  });

  async function verify(settings: Settings, finalState = workspace.root, isHere = false) {
    const sandbox = { image: baseImage, ...settings.sandbox };
    const metric = commandVerifier(isHere ? settings : { ...settings, sandbox });
    const { outputs, diagnostics } = await metric.compute(metricInput({ finalState }), context);
    const [{ message = "", details = {} } = {}] = diagnostics ?? [];
    return { outputs, message, details };
  }

  it.concurrent.each<[string, Settings, number]>([
    ["a held-out test that passes", { command: ["sh", "check.sh"], directory: "held-out" }, 1],
    ["one that fails", { command: ["sh", "c.sh"], files: { "c.sh": "exit 4" } }, 0],
    ["a reward file", { command: shell("echo 0.5 > reward.txt; exit 3") }, 0.5],
    [
      "a folder of its own",
      { command: shell("ls note && echo 0.25 > reward.txt"), cwd: "own" },
      0.25,
    ],
    ["a link inside", { command: shell('test "$(cat link.txt)" = 5') }, 1],
    ["a link that led out", { command: shell("test ! -e outward") }, 1],
    ["a program that the agent left", { command: ["./own/prog"] }, 1],
    ["one that it did not leave", { command: ["./own/none"] }, 0],
    ["one that may not be run", { command: ["./own/note"] }, 0],
    ["a reward that is no file", { command: shell("rm reward.json; mkdir reward.json") }, 0],
    [
      "a declared environment",
      { command: shell('test "$LEVEL" = hard'), env: { LEVEL: "hard" } },
      1,
    ],
  ])(
    "gives the score that the same command gives here: %s",
    async (_what, settings, reward) => {
      const there = await verify(settings);
      const here = await verify(settings, workspace.root, true);

      expect(there.outputs).toEqual({ reward });
      expect(here.outputs).toEqual({ reward });
      expect(there.details["reward_source"]).toBe(here.details["reward_source"]);
      expect(there.details["held_out_digest"]).toBe(here.details["held_out_digest"]);
    },
    withinMs,
  );

  it.concurrent(
    "keeps held-out files what they are, whatever the agent's files do",
    async () => {
      const { outputs, details } = await verify(
        {
          command: shell("sh attack.sh; cat check.sh tests/data.txt; sh verdict.sh"),
          directory: "held-out",
          files: { "verdict.sh": 'grep -q 5 tests/data.txt && echo "as it was"; exit 1' },
          sandbox: { image: baseImage, memoryMib: 64, maxProcesses: 64 },
        },
        hostile.root,
      );

      expect(outputs).toEqual({ reward: 0 });
      const said = String(details["stdout_tail"]);
      expect(said).not.toContain("reached");
      expect(said).toContain('test "$(cat answer.txt)" = 5');
      expect(said).toContain("as it was");
      // Nor can it end the verifier to its advantage.
      const ended = await verify({ command: shell("kill -9 -1; exit 0") }, hostile.root);
      expect(ended.outputs).toEqual({ reward: 0 });
    },
    withinMs,
  );

  it.concurrent(
    "says in each score where it was made, and ends what forks, ignores its end and holds the pipe",
    async () => {
      const loop = `trap "" TERM; while :; do sleep 1; : ${kit.token}; done`;
      const strays = `(setsid sh -c '${loop}' &); (env -i setsid sh -c '${loop}' &)`;
      const settings = { command: shell(`${strays}; echo begun; ${loop}`), timeoutS: 1 };
      const there = verify({ ...settings, sandbox: { image: baseImage, cpus: 1, memoryMib: 128 } });
      // The time limit, the grace and two seconds.
      expect(await lifetimeOf(kit.token)).toBeLessThan(1000 + 2000 + 2000);
      const { outputs, message, details } = await there;
      const here = verify(settings, workspace.root, true);
      expect(await lifetimeOf(kit.token)).toBeLessThan(1000 + 2000 + 2000);

      expect((await here).outputs).toEqual({ reward: 0 });
      expect(outputs).toEqual({ reward: 0 });
      expect(message).toContain("time limit");
      expect(details).toMatchObject({
        stdout_tail: "begun\n",
        sandbox: {
          provider: "docker",
          isolation: "container",
          image: baseImage,
          image_digest: expect.stringMatching(/^sha256:/),
          network: "none",
          limits: { memory_bytes: 128 * 2 ** 20, cpus: 1, processes: null, disk_bytes: null },
        },
      });
    },
    withinMs,
  );

  it.concurrent(
    "want of memory gives no reward, and is no failure of the metric",
    async () => {
      const { outputs } = await verify({
        command: ["awk", 'BEGIN { text = "x"; while (1) text = text text }'],
        sandbox: { image: baseImage, memoryMib: 16 },
      });

      expect(outputs).toEqual({ reward: 0 });
    },
    withinMs,
  );

  it.concurrent(
    "a program that the image lacks is a failure of the metric",
    async () => {
      const failing = verify({ command: ["no-such-verifier"] });
      await expect(failing).rejects.toMatchObject({
        code: "ASSAY_METRIC_FAILED",
        message: expect.stringContaining("was not found on PATH in the image"),
      });
    },
    withinMs,
  );

  it.concurrent(
    "the image is looked for before the first trial, and its content is part of what a run is made of",
    async () => {
      const task = metricInput().row;
      const digestIn = async (image: string, given = context) => {
        const metric = commandVerifier({ command: ["true"], sandbox: { image } });
        await metric.preflight?.(given);
        return await metric.contentDigest?.(task, given);
      };
      const first = await digestIn(baseImage);
      const other = makeTree({ Dockerfile: `FROM ${baseImage}\nENV OTHER=1\n` });
      const built = await kit.provider.buildImage({ context: other.root });
      other.remove();
      const gone = await testRunContext({ env: { PATH: tmpdir() } });

      expect(first).toMatch(/^none in sha256:/);
      expect(await digestIn(baseImage)).toBe(first);
      expect(await digestIn(built.reference)).not.toBe(first);
      await expect(digestIn("localhost:1/no:1")).rejects.toMatchObject({
        code: "ASSAY_IMAGE_NOT_FOUND",
      });
      const without = metricContextOf({ sandboxes: gone.sandboxes });
      await expect(digestIn(baseImage, without)).rejects.toMatchObject({
        code: "ASSAY_TOOL_NOT_FOUND",
      });
      await gone.dispose();
    },
    withinMs,
  );
});

/** How long processes lived whose command line holds a text, in a container of this machine or outside of one. */
async function lifetimeOf(text: string): Promise<number> {
  const isClient = (line: string) => /^[^\0]*\bdocker\0/.test(line);
  const isThere = () => commandLines().some((line) => line.includes(text) && !isClient(line));
  await vi.waitUntil(isThere, { timeout: withinMs / 3, interval: 20 });
  const startedMs = performance.now();
  await vi.waitUntil(() => !isThere(), { timeout: withinMs / 3, interval: 20 });
  return performance.now() - startedMs;
}
