import type { TaskOfRow } from "../contracts/dataset.ts";

/** How rows of other tools become tasks, by the name of their format; loaded when asked for. */
export const datasetFormats = {
  gym: async () => (await import("./gym/dataset.ts")).gymTask,
} as const satisfies Readonly<Record<string, () => Promise<TaskOfRow>>>;
