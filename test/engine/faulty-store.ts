import { AssayError } from "assay";
import type { FileStore, LineWriter } from "../../packages/assay/src/contracts/files.ts";
import { nodeFileStore } from "../../packages/assay/src/platform/files/node-file-store.ts";

/** The calls that change a disk. */
const writes = [
  "writeAtomic",
  "createAtomic",
  "rename",
  "writeNew",
  "makeLink",
  "openAppend",
  "makeDirectory",
  "makePrivateDirectory",
  "syncDirectory",
  "remove",
] as const;

export interface DiskFault {
  readonly systemCode: string;
  /** The first call that fails, counted from 1; those of an open file count as well. */
  readonly at: number;
  /** Whether all later calls fail too, as on a disk that stays full. */
  readonly isLasting: boolean;
  /** Calls on other paths neither fail nor count. */
  readonly below: string;
}

/** The files of this machine on a disk that fails from some call on. */
export function faultyStore({ systemCode, at, isLasting, below }: DiskFault) {
  let count = 0;
  const calls: string[] = [];
  const pass = (name: string, path: string) => {
    if (!path.startsWith(below)) return;
    count += 1;
    calls.push(`${name} ${path.slice(below.length + 1)}`);
    if (count < at || (count > at && !isLasting)) return;
    const message = `cannot write ${path}: ${systemCode}`;
    throw new AssayError("ASSAY_STORE_FAILED", message, { data: { path, systemCode } });
  };
  const files: Record<string, unknown> = { ...nodeFileStore };
  for (const name of writes) {
    const original = nodeFileStore[name] as (...args: unknown[]) => Promise<unknown>;
    files[name] = async (path: string, ...rest: unknown[]) => {
      pass(name, path);
      const result = await original(path, ...rest);
      return name === "openAppend" ? faultyWriter(result as LineWriter, path, pass) : result;
    };
  }
  return { files: files as unknown as FileStore, calls };
}

function faultyWriter(
  writer: LineWriter,
  path: string,
  pass: (name: string, path: string) => void,
): LineWriter {
  return {
    append: async (text) => {
      pass("append", path);
      await writer.append(text);
    },
    sync: async () => {
      pass("sync", path);
      await writer.sync();
    },
    close: () => writer.close(),
  };
}
