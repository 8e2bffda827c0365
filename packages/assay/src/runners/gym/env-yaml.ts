import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { redactSettings } from "../../provenance/redaction/key-rules.ts";
import { getOwn, isJson, isPlainObject, type JsonObject } from "../../support/json.ts";

/** What Gym reads in the folder that it runs in. */
export interface EnvYaml {
  /** Without credentials, and without the address of the endpoint, which may change from run to run. */
  readonly settings: JsonObject;
  readonly baseUrl: string | null;
  /** The credentials, to be removed like declared secrets. */
  readonly secrets: Readonly<Record<string, string>>;
}

const addressKey = "policy_base_url";

/** Null when there is none. Throws `ASSAY_CONFIG_INVALID` for what is no YAML. */
export async function readEnvYaml(
  folder: string,
  files: Pick<FileStore, "readText" | "stat">,
): Promise<EnvYaml | null> {
  const file = path.join(folder, "env.yaml");
  if ((await files.stat(file)) === null) return null;
  const content = await parse(await files.readText(file), file);
  const secrets: Record<string, string> = {};
  const { [addressKey]: _address, ...settings } = redactSettings(content, (_rule, value) => {
    // What names a variable is no credential itself.
    if (typeof value === "string" && !value.startsWith("${"))
      secrets[`env.yaml[${Object.keys(secrets).length}]`] = value;
  });
  const baseUrl = getOwn(redactSettings(content), addressKey);
  return { settings, secrets, baseUrl: typeof baseUrl === "string" ? baseUrl : null };
}

async function parse(text: string, file: string): Promise<JsonObject> {
  const { parse: parseYaml } = await import("yaml");
  let content: unknown;
  try {
    content = parseYaml(text) ?? {};
  } catch (cause) {
    throw new AssayError("ASSAY_CONFIG_INVALID", `"${file}" is no YAML: ${messageOf(cause)}`, {
      cause,
    });
  }
  if (isPlainObject(content) && isJson(content)) return content as JsonObject;
  throw new AssayError("ASSAY_CONFIG_INVALID", `"${file}" is no map of settings`);
}
