import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import type { Trial } from "../../../packages/assay/src/contracts/runner.ts";
import { dockerfileOf } from "../../../packages/assay/src/runners/fabric-container/image.ts";
import {
  type FabricContainerOptions,
  fabricContainer,
} from "../../../packages/assay/src/runners/fabric-container/index.ts";
import { toHost } from "../../../packages/assay/src/runners/fabric-container/invocation.ts";
import { fabricContainerRunner } from "../../../packages/assay/src/runners/fabric-container/runner.ts";
import type { JsonObject } from "../../../packages/assay/src/support/json.ts";
import { type DockerKit, dockerKit } from "../../sandbox/docker-kit.ts";
import { describeNeeds, fabricPython, requireTool } from "../../support/tools.ts";
import {
  evidencePath,
  type FabricRun,
  givenTo,
  readEvidence,
  runProbed,
  runUntil,
} from "../fabric/run-fabric.ts";
import { pythonImage } from "./python-image.ts";

const timeoutMs = 240_000;
const secrets = { MODEL_KEY: "quiet-otter-parade-41" };

const harness = (settings: JsonObject = {}) => ({
  config: { harness: { adapter_id: "stand-in", settings } },
});

interface PinnedCase {
  readonly name: string;
  readonly settings: JsonObject;
  readonly expected: object;
}

const partial = (type: string, message: string) => ({
  status: "partial",
  error: { type, message: expect.stringContaining(message) },
});

const pinned: readonly PinnedCase[] = [
  {
    name: "a success",
    settings: { artifacts: ["ws.patch", "../outside.patch"] },
    expected: {
      id: "a success:fabric_container",
      status: "completed",
      output: { outputText: "done" },
      measurements: { promptTokens: 10, completionTokens: 2 },
      metadata: {
        runtime: "fabric_container",
        isolation: "container",
        sandbox_provider: "docker",
        trace_format: "atif",
        agent_ok: true,
      },
    },
  },
  {
    name: "a result that lies there, of a driver that ended badly",
    settings: { behaviour: "stale" },
    expected: partial("AgentExitError", "ended with status 9 after its result"),
  },
  {
    name: "a result that is a list",
    settings: { behaviour: "garbage" },
    expected: partial("OutputUnreadable", "no usable result"),
  },
  {
    name: "a result that something else was put in place of",
    settings: { behaviour: "forged" },
    expected: partial("OutputUnreadable", "is not what the driver wrote"),
  },
  {
    name: "a harness that dies",
    settings: { behaviour: "dies" },
    expected: partial("AgentExitError", "ended with status 3 and no result: dying"),
  },
];

describeNeeds(["python3", "docker"], "fabric_container", () => {
  let kit: DockerKit;
  let image = "";
  let ended: FabricRun;
  const leftovers: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    kit = dockerKit();
    image = await pythonImage(kit.provider, kit.directory, { python: "python3" });
    const cases = Object.fromEntries(pinned.map(({ name, settings }) => [name, settings]));
    const tasks = pinned.map(({ name }) => ({
      id: name,
      intent: "INTENT",
      reference: { answer: "REFERENCE" },
      inputs: { instruction: name, files: { "seed.txt": "seed\n" } },
    }));
    const runner = fabricContainerRunner({ ...harness({ cases }), image, network: "none" });
    const later = (dispose: () => Promise<void>) => void leftovers.push(dispose);
    ended = await runUntil(later, runner, { tasks, secrets, concurrency: 3 });
  }, timeoutMs);
  afterAll(async () => {
    for (const dispose of leftovers) await dispose();
    await kit.dispose();
  });

  const trialOf = (name: string): Trial => {
    const trial = ended.trials.find(({ taskId }) => taskId === name);
    if (trial === undefined) throw new Error(`there is no trial of "${name}"`);
    return trial;
  };

  it.each(pinned)("ends as it should: $name", ({ name, expected }) => {
    expect(trialOf(name)).toMatchObject(expected);
  });

  it("an agent gets the instruction alone, its seeds, a home of its own, and secrets by environment", () => {
    const trial = trialOf("a success");
    const given = givenTo(trial);
    expect(given).toMatchObject({
      input: "a success",
      seeds: ["seed.txt"],
      env: { MODEL_KEY: secrets.MODEL_KEY, HOME: "/in/home", TMPDIR: "/in/tmp" },
    });
    expect(given.config.environment).toMatchObject({
      workspace: "/out/workspace",
      env_names: ["ASSAY_COMMAND_MARK"],
    });
    const told = JSON.stringify({ ...given, env: null });
    expect(told).not.toMatch(/INTENT|REFERENCE|quiet-otter/);
    expect(JSON.stringify([ended.tool, trial.metadata])).not.toContain("quiet-otter");
  });

  it("what the container had to show is here: workspace, result, trajectory, artifacts that lie in it", () => {
    const trial = trialOf("a success");
    const workspace = evidencePath(trial, "final_state");
    expect(readFileSync(join(workspace, "made.txt"), "utf8")).toBe("made\n");
    expect(Object.keys(trial.evidence?.descriptors ?? {}).sort()).toEqual(
      ["final_state", "logs", "result", "task", "trace", "ws.patch"].sort(),
    );
    expect(readEvidence(trial, "ws.patch")).toBe("diff");
    expect(existsSync(join(evidencePath(trial, "logs"), "fabric-stderr.txt"))).toBe(true);
  });

  it("the image is known by its content, in the facts of the tool and with each attempt", () => {
    const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
    expect(ended.tool).toMatchObject({
      version: "0.5.0",
      resolved: { image_digest: digest, driver_sha256: expect.any(String) },
      observed: { image },
    });
    expect(trialOf("a success")).toMatchObject({ attempts: [{ imageDigest: digest }] });
    expect(ended.leftBehind).toBe(0);
  });

  it(
    "an image without the package is refused before any trial, and one that cannot be had",
    async () => {
      const run = (options: Partial<FabricContainerOptions>) =>
        runProbed(fabricContainerRunner({ ...harness(), image, network: "none", ...options }));
      await expect(run({ env: { PYTHONPATH: "/in" }, python: "true" })).rejects.toMatchObject({
        code: "ASSAY_TOOL_UNUSABLE",
      });
      await expect(run({ image: "assay-test/base:1" })).rejects.toMatchObject({
        code: "ASSAY_TOOL_UNUSABLE",
        message: expect.stringContaining("assay-test/base:1"),
      });
      const unbuildable = { image: null, baseImage: "assay-test/not-there:1" };
      await expect(run(unbuildable)).rejects.toMatchObject({ code: "ASSAY_IMAGE_BUILD_FAILED" });
    },
    timeoutMs,
  );

  it(
    "a real Fabric runs an adapter of our own in a container",
    async () => {
      requireTool("fabric");
      const python = fabricPython();
      const packages = join(python, `../../lib/${pythonName(python)}/site-packages`);
      const withFabric = await pythonImage(kit.provider, kit.directory, { python, packages });
      const config = {
        harness: { adapter_id: "assay.test.scripted" },
        discovery: { local_paths: ["/opt/adapter/scripted.fabric-adapter.json"] },
        models: { default: { provider: "openai", model: "openai/none" } },
      };
      const tasks = [{ inputs: { instruction: "hello" } }, { inputs: { instruction: "fail" } }];
      const run = await runProbed(
        fabricContainerRunner({
          config,
          image: withFabric,
          network: "none",
          captureTrajectory: false,
        }),
        { tasks },
      );
      const byTask = new Map(run.trials.map((trial) => [trial.taskId, trial]));
      expect(byTask.get("task-1")).toMatchObject({
        error: null,
        status: "completed",
        output: { outputText: "hello" },
        measurements: { promptTokens: 3, completionTokens: 4 },
      });
      expect(byTask.get("task-2")).toMatchObject({
        status: "partial",
        metadata: { fabric_error: { stage: "invoke", code: "scripted_failure" } },
      });
      expect(run.tool).toMatchObject({ resolved: { packages: { "nemo-fabric": "0.5.0" } } });
    },
    timeoutMs,
  );
});

function pythonName(python: string): string {
  const found = /python3\.\d+/.exec(readFileSync(join(python, "../../pyvenv.cfg"), "utf8"))?.[0];
  if (found !== undefined) return found;
  throw new Error(`the version of ${python} is not known`);
}

it.each([
  ["a path in the folder", "/out/artifacts/ws.patch", "/host/artifacts/ws.patch"],
  ["one that leads out", "/out/../etc/passwd", null],
  ["one that is not plain", "/out//relay/./x", null],
  ["one elsewhere", "/tmp/x", null],
  ["the folder itself", "/out", null],
  ["a folder with a like name", "/outside/x", null],
])("a path of the container on the host: %s", (_name, place, expected) => {
  expect(toHost("/host")(place)).toBe(expected);
});

it("an image is built from a base and packages, of which none is taken for more than a name", () => {
  const recipe = { image: null, baseImage: "python:3.12-slim", packages: ["a[b]==1", "c"] };
  expect(dockerfileOf(recipe)).toBe(
    'FROM python:3.12-slim\nRUN ["python3","-m","pip","install","--no-cache-dir","a[b]==1","c"]\n',
  );
  const make = (options: Partial<FabricContainerOptions>) => () =>
    fabricContainer({ ...harness(), ...options });
  expect(make({ packages: ["--index-url=x"] })).toThrow("must be a package of pip");
  expect(make({ packages: ["a\nRUN true"] })).toThrow("must be a package of pip");
  expect(make({ baseImage: "a\nRUN true" })).toThrow("must be the name of an image");
  expect(make({ python: "-c" })).toThrow("must be a program");
  const { image } = fabricContainerRunner({ ...harness() }).targetFacts?.().sandbox ?? {};
  expect(image).toBe("python:3.12-slim with nemo-fabric[codex]==0.5.0");
});
