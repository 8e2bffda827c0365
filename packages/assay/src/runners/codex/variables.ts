import { AssayError } from "../../errors/assay-error.ts";
import { isCredentialName } from "../../provenance/redaction/credential-names.ts";
import { isPlainObject, type JsonValue } from "../../support/json.ts";

export interface Expansion {
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** The setting, for messages. */
  readonly key: string;
}

/** Replaces `${NAME}` by a variable of the child's environment; a credential, declared or not, would end in argv and is refused. */
export function expandVariables(value: JsonValue, expansion: Expansion): JsonValue {
  if (typeof value === "string") return expandText(value, expansion);
  if (Array.isArray(value)) return value.map((item: JsonValue) => expandVariables(item, expansion));
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value as Record<string, JsonValue>);
  return Object.fromEntries(entries.map(([key, item]) => [key, expandVariables(item, expansion)]));
}

function expandText(text: string, expansion: Expansion): string {
  return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_match, name: string) =>
    variable(name, expansion),
  );
}

function variable(name: string, { env, secrets, key }: Expansion): string {
  if (Object.hasOwn(secrets, name) || isCredentialName(name)) {
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      `config_overrides["${key}"] names the credential ${name}, which must not be in a command line`,
      { remedy: "Let Codex read it from its environment, e.g. with env_key." },
    );
  }
  const value = env[name];
  if (value !== undefined) return value;
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    `config_overrides["${key}"] names ${name}, which Codex's environment does not have`,
    {
      remedy: "Set it in the option env, or name it in inherit_env and set it in the environment.",
    },
  );
}
