import { createHash } from "node:crypto";
import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { isCredentialName } from "../../provenance/redaction/credential-names.ts";
import { sha256HexOf } from "../../support/digest.ts";
import { isPlainObject, parseJson } from "../../support/json.ts";

/** What Codex reads of its home besides the user's configuration, which is switched off, and its login. */
const shapingEntries = ["AGENTS.md", "AGENTS.override.md", "rules", "skills"];
/** Written by Codex itself at each start. */
const ownSkills = "skills/.system";

/** SHA-256 over the paths and bytes that shape what the agent does; null when there are none. */
export async function homeDigest(home: string, files: FileStore): Promise<string | null> {
  const hash = createHash("sha256");
  let count = 0;
  for (const entry of shapingEntries) {
    for (const file of await filesOf(home, entry, files)) {
      hash.update(`${file}\0${(await fileDigest(path.join(home, file), files)) ?? ""}\0`);
      count += 1;
    }
  }
  return count === 0 ? null : hash.digest("hex");
}

export async function fileDigest(file: string, files: FileStore): Promise<string | null> {
  if ((await files.stat(file))?.kind !== "file") return null;
  return await sha256HexOf(files.readChunks(file));
}

/** The credentials of a login, by their keys: an agent can read the file, so they must be known to be removed. */
export async function loginSecrets(
  home: string,
  files: FileStore,
): Promise<Record<string, string>> {
  return await secretsOfLogin(path.join(home, "auth.json"), files);
}

/** The same of the file alone. */
export async function secretsOfLogin(
  file: string,
  files: FileStore,
): Promise<Record<string, string>> {
  if ((await files.stat(file))?.kind !== "file") return {};
  const secrets: Record<string, string> = {};
  collectSecrets(parseJson(await files.readText(file), file), "auth.json", secrets);
  return secrets;
}

function collectSecrets(value: unknown, place: string, into: Record<string, string>): void {
  if (!isPlainObject(value)) return;
  for (const [key, item] of Object.entries(value)) {
    const at = `${place}.${key}`;
    if (typeof item === "string" && isCredentialName(key)) into[at] = item;
    else collectSecrets(item, at, into);
  }
}

async function filesOf(home: string, entry: string, files: FileStore): Promise<string[]> {
  const kind = (await files.stat(path.join(home, entry)))?.kind;
  if (kind !== "directory") return kind === "file" ? [entry] : [];
  const found: string[] = [];
  for await (const inner of files.walk(path.join(home, entry))) {
    const file = `${entry}/${inner.path}`;
    if (inner.kind === "file" && !file.startsWith(`${ownSkills}/`)) found.push(file);
  }
  return found;
}
