import type { TaskOfRow, TasksOfFolder } from "../contracts/dataset.ts";

/** How rows of other tools become tasks, by the name of their format; loaded when asked for. */
export const datasetFormats = {
  gym: async () => (await import("./gym/dataset.ts")).gymTask,
} as const satisfies Readonly<Record<string, () => Promise<TaskOfRow>>>;

/** How folders of other tools become tasks, by the name of their format; loaded when asked for. */
export const folderFormats = {
  harbor: async () => (await import("./harbor/load-tasks.ts")).harborTasksOf,
} as const satisfies Readonly<Record<string, () => Promise<TasksOfFolder>>>;

/** What loads a dataset that is a folder of tasks, and makes the target that runs them; loaded when asked for. */
export const datasetFolders = {
  harbor: async () => {
    const [{ loadHarborTasks }, { harbor }, { harborReward }] = await Promise.all([
      import("./harbor/load-tasks.ts"),
      import("./harbor/index.ts"),
      import("../metrics/harbor-reward/index.ts"),
    ]);
    return { loadTasks: loadHarborTasks, target: harbor, metric: harborReward };
  },
} as const;

export type HarborFolder = Awaited<ReturnType<typeof datasetFolders.harbor>>;
