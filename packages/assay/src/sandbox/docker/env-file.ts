import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { newToken } from "../../support/ids.ts";
import { dockerVariables } from "./client.ts";

export interface EnvironmentFlags {
  readonly flags: readonly string[];
  /** For the docker command itself: values that no file can hold. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes the file. */
  dispose(): Promise<void>;
}

/** The docker command reads lines, and none longer than this. */
const maxLineBytes = 32 * 1024;
/** What the docker command itself goes by. */
const ownNames: ReadonlySet<string> = new Set(["PATH", ...dockerVariables]);

/**
 * Hands an environment to a container by a private file, so that no value is in a command line. A value of several
 * lines, which a file cannot hold, goes through the environment of the docker command.
 */
export async function environmentFlags(
  variables: Readonly<Record<string, string>>,
  { files, scratch }: { readonly files: FileStore; readonly scratch: string },
): Promise<EnvironmentFlags> {
  const names = Object.keys(variables);
  if (names.length === 0) return { flags: [], env: {}, dispose: async () => {} };
  const lines: string[] = [];
  const carried: Record<string, string> = {};
  for (const name of names) {
    const value = variables[name] ?? "";
    checkName(name);
    if (isOneLine(value)) lines.push(`${name}=${value}\n`);
    else carried[name] = carriedValue(name, value);
  }
  const file = path.join(scratch, `env-${newToken()}`);
  await files.writeNew(file, [Buffer.from(lines.join(""))], { isDurable: false });
  return {
    flags: ["--env-file", file, ...Object.keys(carried).flatMap((name) => ["--env", name])],
    env: carried,
    dispose: () => files.remove(file),
  };
}

function isOneLine(value: string): boolean {
  const bytes = Buffer.from(value);
  const isText = bytes.toString() === value;
  return !/[\r\n]/.test(value) && bytes.length < maxLineBytes && isText;
}

function checkName(name: string): void {
  if (/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name)) return;
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    `${JSON.stringify(name)} is no name of an environment variable`,
  );
}

function carriedValue(name: string, value: string): string {
  if (!ownNames.has(name) && !value.includes("\0")) return value;
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    `the variable ${name} of a container cannot have such a value: it has several lines, is very long or holds a NUL`,
  );
}
