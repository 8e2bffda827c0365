import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { sha256HexOf } from "../../support/digest.ts";
import type { JsonObject } from "../../support/json.ts";
import type { FabricAgentOptions } from "./agent-options.ts";

export type Skill = FabricAgentOptions["skills"][number];

const encoder = new TextEncoder();
const separator = Uint8Array.of(0);

/** SHA-256 over the files of a folder, by path: `path NUL content NUL` for each. */
async function skillDigest(folder: string, files: FileStore): Promise<string> {
  return await sha256HexOf(contentOf(folder, files));
}

async function* contentOf(folder: string, files: FileStore): AsyncIterable<Uint8Array> {
  const paths: string[] = [];
  for await (const { kind, path: place } of files.walk(folder)) {
    if (kind === "file") paths.push(place);
  }
  for (const place of paths.sort()) {
    yield encoder.encode(place);
    yield separator;
    yield* files.readChunks(path.join(folder, place), { below: folder });
    yield separator;
  }
}

/** Digest of each skill by its name. Throws for a folder that is none. */
export async function digestSkills(
  skills: readonly Skill[],
  { files, baseDir }: { readonly files: FileStore; readonly baseDir: string },
): Promise<Readonly<Record<string, string>>> {
  const digests: Record<string, string> = {};
  for (const { name, directory } of skills) {
    const folder = path.resolve(baseDir, directory);
    if ((await files.stat(path.join(folder, "SKILL.md")))?.kind !== "file") {
      throw new AssayError(
        "ASSAY_CONFIG_INVALID",
        `skills: "${name}": there is no SKILL.md in "${directory}"`,
        { remedy: "Give the folder of a skill, which has a SKILL.md." },
      );
    }
    digests[name] = await skillDigest(folder, files);
  }
  return digests;
}

export interface StagedSkill {
  readonly folder: string;
  /** For the trial, as metrics look for it. */
  readonly record: JsonObject;
}

export interface Staging {
  readonly files: FileStore;
  readonly baseDir: string;
  /** A private folder. */
  readonly folder: string;
  /** Digests that the probe found. */
  readonly expected: Readonly<Record<string, unknown>>;
  readonly adapterId: string | null;
}

/** Copies of the skills for one trial: what an agent does to them reaches no other. Throws for one that is not what was probed. */
export async function stageSkills(
  skills: readonly Skill[],
  { files, baseDir, folder, expected, adapterId }: Staging,
): Promise<readonly StagedSkill[]> {
  const staged: StagedSkill[] = [];
  for (const { name, directory } of skills) {
    const place = path.join(folder, name);
    await files.copyTree(path.resolve(baseDir, directory), place);
    const hash = await skillDigest(place, files);
    if (expected[name] !== undefined && expected[name] !== hash) {
      throw new AssayError(
        "ASSAY_TOOL_UNUSABLE",
        `the skill "${name}" in "${directory}" is not what it was when the run began`,
        { remedy: "Leave the folders of skills as they are while a run goes on." },
      );
    }
    staged.push({
      folder: place,
      record: { name, hash, mode: "native", adapter_id: adapterId, location: `skill/${name}` },
    });
  }
  return staged;
}
