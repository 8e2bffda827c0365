import {
  hasProcessTable,
  type ProcessTable,
  readProcess,
  readProcessTable,
} from "./process-table.ts";

/** Gives tables of processes to many who ask at once. */
export interface TableSource {
  /** A table that was read after this call. */
  next(): Promise<ProcessTable>;
}

/**
 * One reading serves all who asked before it began, and under load readings are spaced so that they take at most a
 * third of the time: 200 processes that end together cost a few readings, not 200.
 */
export function createTableSource(minStartTicks: number): TableSource {
  let pending: Promise<ProcessTable> | null = null;
  let notBeforeMs = 0;

  const read = (): ProcessTable => {
    const startedMs = performance.now();
    const table = readProcessTable(minStartTicks);
    const endedMs = performance.now();
    notBeforeMs = endedMs + 2 * (endedMs - startedMs);
    return table;
  };
  const schedule = (): Promise<ProcessTable> =>
    new Promise((resolve, reject) => {
      const start = (): void => {
        pending = null;
        try {
          resolve(read());
        } catch (thrown) {
          reject(thrown);
        }
      };
      const waitMs = notBeforeMs - performance.now();
      if (waitMs > 0) setTimeout(start, waitMs);
      else setImmediate(start);
    });

  return {
    next: () => {
      pending ??= schedule();
      return pending;
    },
  };
}

/** When the host process started: what is older cannot be its descendant. */
export function hostStartTicks(): number {
  return hasProcessTable ? (readProcess(process.pid)?.startTicks ?? 0) : 0;
}
