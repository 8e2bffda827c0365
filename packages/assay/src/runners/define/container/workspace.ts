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

type WorkspaceContext = Pick<AttemptContext<unknown>, "files" | "signal" | "graceMs" | "clock">;

/** Of the grace of an attempt that is stopped: the rest is for ending the agent before, and its container after. */
const graceShare = 0.4;

/**
 * Takes a directory out of a container, in place of what was put in: private files of this user, whoever owned them
 * inside and whatever their modes were.
 */
export async function takeWorkspace(
  sandbox: Sandbox,
  { files, signal, graceMs, clock }: WorkspaceContext,
  { inside, workspace }: WorkspacePlaces,
): Promise<TakenWorkspace> {
  const after = `${workspace}-after`;
  const [cut, done] = [new AbortController(), new AbortController()];
  // An attempt that is stopped has a part of its grace for this: what is copied by then is what there is.
  const onStop = () =>
    void clock.sleep(graceMs * graceShare, done.signal).then(
      () => cut.abort(),
      () => {},
    );
  if (signal.aborted) onStop();
  else signal.addEventListener("abort", onStop, { once: true });
  try {
    const facts = await sandbox.download(inside, after, { cutSignal: cut.signal });
    // There is a workspace at all times: an attempt that is given up meanwhile is told by what lies there.
    await files.replaceDirectory(after, workspace);
    return { workspace: facts, problem: null };
  } catch (thrown) {
    await files.remove(after);
    return { workspace: null, problem: messageOf(thrown) };
  } finally {
    signal.removeEventListener("abort", onStop);
    done.abort();
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
