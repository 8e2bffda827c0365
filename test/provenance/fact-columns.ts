import { join } from "node:path";
import { onTestFinished } from "vitest";

import { nodeImage } from "../runners/codex-docker/node-image.ts";
import { startModelServer } from "../runners/docker-sandbox/model-server.ts";
import { settingsFor } from "../runners/docker-sandbox/run-sandbox.ts";
import { standIn, standInOptions } from "../runners/fabric/run-fabric.ts";
import { pythonImage } from "../runners/fabric-container/python-image.ts";
import { fakeGym, gymTasks } from "../runners/gym/run-gym.ts";
import {
  folder as harborFolder,
  standInPath,
  taskOf,
  writeTask,
} from "../runners/harbor/harbor-kit.ts";
import { dockerKit } from "../sandbox/docker-kit.ts";
import { agentsPeer } from "../support/tools.ts";

/** What a column of the table of facts says of each place: "value", "none", or a reason. */
export type Cells = Readonly<Record<string, string>>;

/** A run that a column is made of: the runner's factory of `assay/runners`, as a suite calls it. */
export interface ColumnRun {
  readonly factory: string;
  readonly options: object;
  /** Two plain ones where nothing is said. */
  readonly tasks?: readonly object[];
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of packages that the suite finds beside itself. */
  readonly modules?: string;
}

export interface RunnerColumn {
  /** The tools without which it cannot be made; its cells are kept in `facts/<name>.json`, and compared where they are here. */
  readonly needs?: readonly string[];
  readonly make: () => ColumnRun | Promise<ColumnRun>;
}

/** Each shipped runner but those whose columns the test makes in more than one way. */
export const runnerColumns: Readonly<Record<string, RunnerColumn>> = {
  codex_docker_cli: {
    needs: ["docker"],
    make: () => {
      const image = nodeImage();
      const options = { model: "m", image, codexPackage: null, network: "none" };
      return { factory: "codexDockerCli", options, env: { CODEX_HOME: "/nonexistent" } };
    },
  },
  docker_sandbox: {
    needs: ["docker", "openai-agents"],
    make: async () => {
      const server = await startModelServer({ work: [{ say: "Done." }] });
      onTestFinished(() => server.close());
      return {
        factory: "dockerSandbox",
        options: settingsFor(server, { keyVariable: "KEY" }),
        tasks: ["one", "two"].map((id) => ({
          id,
          intent: "i",
          inputs: { instruction: "# work\n\nDo it." },
        })),
        modules: join(agentsPeer, "node_modules"),
      };
    },
  },
  fabric: {
    make: () => ({ factory: "fabric", options: standInOptions(), env: { PYTHONPATH: standIn } }),
  },
  fabric_container: {
    needs: ["docker", "python3"],
    make: async () => {
      const kit = dockerKit();
      onTestFinished(() => kit.dispose());
      const image = await pythonImage(kit.provider, kit.directory, { python: "python3" });
      const config = { harness: { adapter_id: "stand-in", settings: {} } };
      const options = { config, captureTrajectory: false, network: "none", image };
      return { factory: "fabricContainer", options };
    },
  },
  gym: {
    make: () => ({
      factory: "gym",
      options: {
        agent: "simple_agent",
        resourcesServer: "mcqa",
        gymBin: fakeGym,
        envVars: { FAKE_GYM: "{}" },
      },
      tasks: gymTasks({}, {}),
    }),
  },
  harbor: {
    make: () => {
      const dataset = harborFolder();
      const tasks = ["one", "two"].map((name) => ({
        intent: "i",
        ...taskOf(writeTask(dataset, name), name),
      }));
      return { factory: "harbor", options: {}, tasks, env: { PATH: standInPath } };
    },
  },
};
