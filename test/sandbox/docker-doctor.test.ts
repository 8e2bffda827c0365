import { expect, it } from "vitest";

import { doctor } from "../../packages/assay/src/engine/inspect/doctor.ts";
import { nodeEngine } from "../../packages/assay/src/engine/node-engine.ts";
import { runnerMap } from "../../packages/assay/src/runners/map.ts";
import { itNeeds } from "../support/tools.ts";

const runners = { codex_docker_cli: runnerMap.codex_docker_cli };

itNeeds("docker", "doctor finds the engine, and fetches no image to look at a runner", async () => {
  const { tools, runners: found } = await doctor(await nodeEngine({}), runners);
  expect(tools.find(({ name }) => name === "docker")).toMatchObject({
    state: "ok",
    version: expect.stringMatching(/^\d+\.\d+\S* \(docker \d+\.\d+/),
  });
  // The image that it runs by default is not here, and cannot be fetched: had it been asked for, that would be told.
  expect(found).toMatchObject([{ name: "codex_docker_cli", state: "ok" }]);
});

it("doctor says what is wrong with an engine that does not answer", async () => {
  const env = { ...process.env, DOCKER_HOST: "unix:///nonexistent/docker.sock" };
  const { tools, runners: found } = await doctor(await nodeEngine({ env }), runners);
  const docker = tools.find(({ name }) => name === "docker");
  expect(["missing", "unusable"]).toContain(docker?.state);
  expect(docker?.remedy).toContain("Install and start a Docker engine");
  expect(found[0]?.state).toBe(docker?.state);
});
