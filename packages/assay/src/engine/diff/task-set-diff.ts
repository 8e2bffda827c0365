import { isDeepStrictEqual } from "node:util";

import type { BundleReader } from "../../bundle/read-bundle.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { TaskRecord } from "../../schema/task.ts";

/** A part of a task that results depend on. */
export type TaskField = "intent" | "inputs" | "reference" | "views" | "metadata" | "metrics";

const taskFields: readonly TaskField[] = [
  "intent",
  "inputs",
  "reference",
  "views",
  "metadata",
  "metrics",
];

/** How the tasks of two bundles differ. */
export interface TaskSetDiff {
  /** In both, in the order of the first bundle. */
  readonly shared: readonly string[];
  /** In the second bundle alone, in its order. */
  readonly added: readonly string[];
  /** In the first bundle alone. */
  readonly removed: readonly string[];
  /** In both, but not alike. */
  readonly changed: readonly { readonly id: string; readonly fields: readonly TaskField[] }[];
  /** The tasks that are in both come in another order. */
  readonly isReordered: boolean;
}

/** Reads the tasks of both side by side: of rows in the same order none is kept. Throws `ASSAY_BUNDLE_DAMAGED` for an id that stands twice. */
export async function diffTasks(a: BundleReader, b: BundleReader): Promise<TaskSetDiff> {
  const [rowsA, rowsB] = [new TaskSide(a), new TaskSide(b)];
  try {
    const changed = await readChanged(rowsA, rowsB);
    const shared = [...rowsA.ids].filter((id) => rowsB.ids.has(id));
    const inOrderOfB = [...rowsB.ids].filter((id) => rowsA.ids.has(id));
    return {
      shared,
      added: [...rowsB.waiting.keys()],
      removed: [...rowsA.waiting.keys()],
      changed: shared.flatMap((id) => changedTask(id, changed.get(id))),
      isReordered: shared.some((id, index) => id !== inOrderOfB[index]),
    };
  } finally {
    await Promise.all([rowsA.close(), rowsB.close()]);
  }
}

async function readChanged(
  a: TaskSide,
  b: TaskSide,
): Promise<ReadonlyMap<string, readonly TaskField[]>> {
  const changed = new Map<string, readonly TaskField[]>();
  for (;;) {
    const [one, other] = [await a.next(), await b.next()];
    if (one === null && other === null) return changed;
    for (const [before, after] of matched(a, b, [one, other])) {
      const fields = taskFields.filter((field) => !isDeepStrictEqual(before[field], after[field]));
      if (fields.length > 0) changed.set(before.id, fields);
    }
  }
}

/** The tasks of one bundle, and those that the other one did not have so far. */
class TaskSide {
  readonly ids = new Set<string>();
  readonly waiting = new Map<string, TaskRecord>();
  readonly #dir: string;
  readonly #rows: AsyncIterator<TaskRecord>;

  constructor(reader: BundleReader) {
    this.#dir = reader.dir;
    this.#rows = reader.tasks()[Symbol.asyncIterator]();
  }

  async next(): Promise<TaskRecord | null> {
    const { done, value } = await this.#rows.next();
    if (done === true) return null;
    if (this.ids.has(value.id)) throw taskTwice(this.#dir, value.id);
    this.ids.add(value.id);
    this.waiting.set(value.id, value);
    return value;
  }

  /** Of rows that were not read to their end. */
  async close(): Promise<void> {
    await this.#rows.return?.();
  }
}

/** Pairs the tasks that came last with those of the other bundle, as far as these have come. */
function* matched(a: TaskSide, b: TaskSide, latest: readonly (TaskRecord | null)[]) {
  for (const id of new Set(latest.map((task) => task?.id))) {
    const [before, after] = [a.waiting.get(id ?? ""), b.waiting.get(id ?? "")];
    if (before === undefined || after === undefined) continue;
    a.waiting.delete(before.id);
    b.waiting.delete(after.id);
    yield [before, after] as const;
  }
}

function changedTask(id: string, fields: readonly TaskField[] | undefined) {
  return fields === undefined ? [] : [{ id, fields }];
}

function taskTwice(dir: string, id: string): AssayError {
  return new AssayError(
    "ASSAY_BUNDLE_DAMAGED",
    `tasks.jsonl of "${dir}" holds task "${id}" twice`,
    {
      data: { path: dir, task_id: id },
      remedy: "Its scores cannot be told apart: run its suite again.",
    },
  );
}
