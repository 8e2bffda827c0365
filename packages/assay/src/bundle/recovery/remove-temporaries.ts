import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";

/** Documents that were being written when the process was killed. */
export async function removeTemporaries(dir: string, files: FileStore): Promise<void> {
  const names = (await files.list(dir)).filter((name) => /^\..+\.[0-9a-f]{12}\.tmp$/.test(name));
  for (const name of names) await files.remove(path.join(dir, name));
}
