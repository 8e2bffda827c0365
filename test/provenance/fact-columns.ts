import { nodeImage } from "../runners/codex-docker/node-image.ts";
import { standIn, standInOptions } from "../runners/fabric/run-fabric.ts";
import { fakeGym, gymTasks } from "../runners/gym/run-gym.ts";
import {
  folder as harborFolder,
  standInPath,
  taskOf,
  writeTask,
} from "../runners/harbor/harbor-kit.ts";

/** What a column of the table of facts says of each place: "value", "none", or a reason. */
export type Cells = Readonly<Record<string, string>>;

/** A run that a column is made of: the runner's factory of `assay/runners`, as a suite calls it. */
export interface ColumnRun {
  readonly factory: string;
  readonly options: object;
  /** Two plain ones where nothing is said. */
  readonly tasks?: readonly object[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface RunnerColumn {
  /** The tool without which it cannot be made; its cells are kept in `facts/<name>.json`, and compared where it is here. */
  readonly needs?: "docker";
  readonly make: () => ColumnRun | Promise<ColumnRun>;
}

/** Each shipped runner but those whose columns the test makes in more than one way. */
export const runnerColumns: Readonly<Record<string, RunnerColumn>> = {
  codex_docker_cli: {
    needs: "docker",
    make: () => {
      const image = nodeImage();
      const options = { model: "m", image, codexPackage: null, network: "none" };
      return { factory: "codexDockerCli", options, env: { CODEX_HOME: "/nonexistent" } };
    },
  },
  fabric: {
    make: () => ({ factory: "fabric", options: standInOptions(), env: { PYTHONPATH: standIn } }),
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

/**
 * Their agents need a service beside the engine of containers, which the tests of their own folders start: what they tell
 * is asked for there.
 */
export const withoutColumn: readonly string[] = ["docker_sandbox", "fabric_container"];
