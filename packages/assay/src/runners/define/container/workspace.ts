import type { DownloadFacts, Sandbox } from "../../../contracts/sandbox.ts";
import { messageOf } from "../../../errors/assay-error.ts";
import type { JsonObject } from "../../../support/json.ts";
import type { AttemptContext } from "../attempt-context.ts";

export interface TakenWorkspace {
  /** What became of the workspace; null when it could not be copied. */
  readonly workspace: DownloadFacts | null;
  readonly problem: string | null;
}

export interface WorkspacePlaces {
  /** Directory in the container. */
  readonly inside: string;
  /** The workspace on the host, which it takes the place of. */
  readonly workspace: string;
}

/**
 * Takes a directory out of a container, in place of what was put in: private files of this user, whoever owned them
 * inside and whatever their modes were.
 */
export async function takeWorkspace(
  sandbox: Sandbox,
  { files, signal }: Pick<AttemptContext<unknown>, "files" | "signal">,
  { inside, workspace }: WorkspacePlaces,
): Promise<TakenWorkspace> {
  const after = `${workspace}-after`;
  try {
    // An attempt that was stopped has its grace for this.
    const facts = await sandbox.download(inside, after, signal.aborted ? {} : { signal });
    await files.remove(workspace);
    await files.rename(after, workspace);
    return { workspace: facts, problem: null };
  } catch (thrown) {
    await files.remove(after);
    return { workspace: null, problem: messageOf(thrown) };
  }
}

/** What was left out, for the trial's metadata. */
export function workspaceMetadata({ workspace, problem }: TakenWorkspace): JsonObject {
  if (workspace === null) return { permission_cleanup_error: problem ?? "unknown" };
  const { omitted, isTruncated } = workspace;
  return {
    ...(Object.keys(omitted).length === 0 ? {} : { workspace_omitted: { ...omitted } }),
    ...(isTruncated ? { workspace_truncated: true } : {}),
  };
}
