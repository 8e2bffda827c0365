import type { FileStore } from "../../contracts/files.ts";
import type {
  Sandbox,
  SandboxImage,
  SandboxProvider,
  SandboxSpec,
} from "../../contracts/sandbox.ts";

/** A provider of sandboxes, and what is needed to try it. */
export interface SandboxSubject {
  readonly provider: SandboxProvider;
  /** An image with a shell and the usual small programs, and a user `agent` (1000). */
  readonly image: SandboxImage;
  readonly files: FileStore;
  /** A private host directory. */
  readonly directory: string;
  /** Ends the sandbox behind the provider's back. */
  kill(sandbox: Sandbox): Promise<void>;
  /** Removes it behind the provider's back. */
  remove(sandbox: Sandbox): Promise<void>;
}

let count = 0;

/** A fresh host directory of a check. */
export async function freshDirectory({ directory, files }: SandboxSubject): Promise<string> {
  count += 1;
  const path = `${directory}/check-${count}`;
  await files.makePrivateDirectory(path);
  return path;
}

/** Makes a sandbox, and stops it after the work. */
export async function withSandbox(
  { provider, image }: SandboxSubject,
  spec: Partial<SandboxSpec>,
  work: (sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const sandbox = await provider.create({ image, trialId: "check:0", ...spec });
  try {
    await work(sandbox);
  } finally {
    await sandbox.stop();
  }
}

/** What a shell line printed; the line must end well. */
export async function printedBy(sandbox: Sandbox, line: string): Promise<string> {
  const { ending, exitCode, stdout, stderr } = await sandbox.exec({ argv: ["sh", "-c", line] });
  if (ending !== "exited" || exitCode !== 0)
    throw new Error(`${JSON.stringify(line)} ${ending} (${exitCode}): ${stderr.text}`);
  return stdout.text.trim();
}
