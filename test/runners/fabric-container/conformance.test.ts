import { tmpdir } from "node:os";
import { afterAll, beforeAll, expect, it } from "vitest";

import type { FabricContainerOptions } from "../../../packages/assay/src/runners/fabric-container/index.ts";
import { fabricContainerRunner } from "../../../packages/assay/src/runners/fabric-container/runner.ts";
import type { JsonObject } from "../../../packages/assay/src/support/json.ts";
import type {
  RunnerScenario,
  RunnerSubject,
} from "../../../packages/assay/src/testing/conformance/subject.ts";
import { runnerConformance } from "../../../packages/assay/src/testing/runner-conformance.ts";
import { type DockerKit, dockerKit } from "../../sandbox/docker-kit.ts";
import { describeNeeds } from "../../support/tools.ts";
import { pythonImage } from "./python-image.ts";

/** Containers take their time on a machine that is busy with other tests. */
const withinMs = 240_000;
const tasks = [{ inputs: { instruction: "Mend it", files: { "a.txt": "a" } } }];
/** What the driver says is read by code that the runner fabric is tried with in the same way. */
const isSample = process.env["ASSAY_DOCKER_FULL"] === undefined;
const sampled = { skip: "a sample is run: ASSAY_DOCKER_FULL=1 runs all" };
const secrets = { QUIET: "quiet-otter-parade-41", OTHER: "péché mignon d'avril/&=" };

describeNeeds(["python3", "docker"], "fabric_container", () => {
  let kit: DockerKit;
  let image = "";
  beforeAll(async () => {
    kit = dockerKit();
    image = await pythonImage(kit.provider, kit.directory, { python: "python3" });
  }, withinMs);
  afterAll(async () => {
    const format = '{{.Label "dev.assay.owner"}}';
    const { stdout } = await kit.docker("ps", "--all", "--format", format);
    expect(stdout.text).not.toContain(`"pid":${process.pid},`);
    await kit.dispose();
  });

  function usual(settings: JsonObject = {}): FabricContainerOptions {
    const harness = { adapter_id: "stand-in", settings };
    return { config: { harness }, captureTrajectory: false, network: "none" };
  }

  function scenario(
    settings: JsonObject,
    options: Partial<FabricContainerOptions> = {},
  ): RunnerScenario {
    const runner = fabricContainerRunner({ ...usual(settings), image, ...options });
    return { runner, tasks, withinMs };
  }

  const subject: RunnerSubject<FabricContainerOptions> = {
    name: "fabric_container",
    make: (options) => fabricContainerRunner({ ...usual(), network: "bridge", ...options }),
    optionMutations: {
      config: { harness: { adapter_id: "another" } },
      profiles: [{ instructions: { system: { content: "Be brief." } } }],
      model: "anthropic/another-model",
      timeoutS: 30,
      captureTrajectory: true,
      captureSpans: true,
      trajectoryExtra: { suite: "x" },
      skills: [{ name: "review", directory: "skills/review" }],
      env: { COLOR: "0" },
      inheritEnv: ["HTTPS_PROXY"],
      parallelism: 7,
      image: "other:1",
      baseImage: "other:2",
      packages: ["nemo-fabric==0.5.1"],
      python: "python3.13",
      network: "none",
      memoryMib: 512,
      cpus: 0.5,
      maxProcesses: 100,
      diskMib: 512,
      dockerBin: "podman",
    },
    scenarios: {
      success: () => scenario({}),
      badExit: () => scenario({ behaviour: "dies" }),
      timeout: () => scenario({ behaviour: "never-ends" }, { timeoutS: 6 }),
      cancel: () => scenario({ behaviour: "never-ends" }),
      hugeOutput: isSample ? sampled : () => scenario({ behaviour: "huge-output" }),
      malformedOutput: isSample ? sampled : () => scenario({ behaviour: "garbage" }),
      missingTool: () => ({ ...scenario({}), env: { PATH: tmpdir() } }),
      secretEcho: () => ({
        ...scenario({ behaviour: "prints-secrets", secret_names: Object.keys(secrets) }),
        secrets,
      }),
    },
  };

  for (const { name, skip, run } of runnerConformance(subject)) {
    it.concurrent(
      name,
      async (context) => {
        if (skip !== null) context.skip(skip);
        await run();
      },
      withinMs + 5000,
    );
  }
});
