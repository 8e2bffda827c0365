import path from "node:path";

import type { Sandbox } from "../../contracts/sandbox.ts";
import { messageOf } from "../../errors/assay-error.ts";
import type { JsonObject } from "../../support/json.ts";
import { inside, outNames } from "./invocation.ts";
import type { FabricContainerContext } from "./run-in-container.ts";

export interface CollectedFiles {
  readonly metadata: JsonObject;
  /** Why they could not be copied. */
  readonly problem: string | null;
}

/** Takes what the container has to show, in place of what was put in: private files of this user. */
export async function collectFiles(
  sandbox: Sandbox,
  { files, signal }: Pick<FabricContainerContext, "files" | "signal">,
  directory: string,
): Promise<CollectedFiles> {
  const taken = path.join(directory, "out");
  try {
    // An attempt that was stopped has its grace for this.
    const facts = await sandbox.download(inside.out, taken, signal.aborted ? {} : { signal });
    for (const name of outNames) {
      const from = path.join(taken, name);
      if ((await files.stat(from)) === null) continue;
      await files.remove(path.join(directory, name));
      await files.rename(from, path.join(directory, name));
    }
    const { omitted, isTruncated } = facts;
    const metadata = {
      ...(Object.keys(omitted).length === 0 ? {} : { files_omitted: { ...omitted } }),
      ...(isTruncated ? { files_truncated: true } : {}),
    };
    return { metadata, problem: null };
  } catch (thrown) {
    return { metadata: {}, problem: messageOf(thrown) };
  } finally {
    await files.remove(taken);
  }
}
