import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { repoRoot } from "../../support/tools.ts";

export const bin = join(repoRoot, "packages/assay/bin/assay.js");

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningAssay {
  /** Resolves when stderr holds the text. */
  saw(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

interface StartOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Nobody reads its stdout, or its stderr. */
  readonly closesStdout?: boolean;
  readonly closesStderr?: boolean;
  /** An open file that takes the place of the pipe. */
  readonly stdout?: number;
  readonly stderr?: number;
}

/** Starts the built command. It sees no variable of the test's environment but what it needs to run. */
export function startAssay(
  args: readonly string[],
  { cwd, env = {}, closesStdout = false, closesStderr = false, ...files }: StartOptions,
): RunningAssay {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: cwd,
      XDG_CACHE_HOME: join(cwd, ".cache"),
      ...env,
    },
    stdio: ["ignore", files.stdout ?? "pipe", files.stderr ?? "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    child.emit("said");
  });
  if (closesStdout) child.stdout?.destroy();
  if (closesStderr) child.stderr?.destroy();
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
  const saw = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (stderr.includes(text)) resolve();
      };
      child.on("said", look);
      child.on("close", () => reject(new Error(`it ended without saying "${text}": ${stderr}`)));
      look();
    });
  return { saw, ended, kill: (signal) => void child.kill(signal) };
}

export async function assay(args: readonly string[], options: StartOptions): Promise<Ended> {
  return await startAssay(args, options).ended;
}

/** A folder of files outside the checkout, removed after the test. */
export function folder(files: Readonly<Record<string, string>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "assay-cli-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** A suite module with one task per id and an agent written in TypeScript. */
export function suiteText({
  agent = `async () => "yes"`,
  ids = ["a"],
  more = "",
}: {
  readonly agent?: string;
  readonly ids?: readonly string[];
  readonly more?: string;
}): string {
  return `
import { defineSuite } from "assay";
import { exactMatch } from "assay/metrics";
import { callable } from "assay/runners";

export default defineSuite({
  name: "e2e",
  tasks: ${JSON.stringify(ids)}.map((id) => ({ id, intent: "says yes", inputs: { instruction: id } })),
  metrics: [exactMatch({ reference: "yes" })],
  target: callable({ name: "agent", agent: ${agent} }),
  ${more}
});
`;
}
