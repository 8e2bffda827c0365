import { AssayError } from "../../errors/assay-error.ts";
import type { JsonObject } from "../../support/json.ts";
import { isCredentialName } from "./credential-names.ts";
import { replaceCredentials } from "./credential-text.ts";
import { redactSettings } from "./key-rules.ts";
import type { KnownSecret } from "./secret.ts";

export interface KnownSecretsRequest {
  /** Names of environment variables that hold secrets. */
  readonly declared: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Declared secrets under 8 bytes are taken too. */
  readonly allowShort?: boolean;
}

const minSecretBytes = 8;
const minTokenLength = 16;
const tooCommon = /^(?:disabled|required|optional|undefined|password|(.)\1*)$/i;
/**
 * One or two short plain words, such as `postgres` or `final_state`. As the value of a variable that nobody declared
 * they would be removed from ordinary text and change what metrics see; who means one as a secret declares it.
 */
const plainWords =
  /^(?=.{1,15}$)[A-Za-z]?[a-z]+(?:[-_.][a-z]+)?$|^(?=.{1,15}$)[A-Z]+(?:[-_.][A-Z]+)?$/;
const namesPlace =
  /(?:^|_)(?:dir|directory|path|file|home|sock|socket|credentials|askpass|helper|command|cmd)$/i;
const looksLikePath = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/])/;

/**
 * The secrets to remove: the declared ones; values of variables whose names say credential; credentials inside any
 * variable's value (user-info of URLs, passwords of connection strings).
 * Throws `ASSAY_SECRET_MISSING` and `ASSAY_SECRET_TOO_SHORT`, naming the declared one.
 */
export function knownSecretsOf(request: KnownSecretsRequest): readonly KnownSecret[] {
  const secrets = new Map<string, string>();
  const add = (name: string, value: string): void => {
    if (!secrets.has(value)) secrets.set(value, name);
  };
  for (const name of request.declared) add(name, declaredValue(name, request));
  for (const [name, value = ""] of Object.entries(request.env)) {
    const found = isCredential(name, value) ? [value] : [];
    for (const secret of [...found, ...credentialsIn(value)])
      if (isDistinctive(secret)) add(name, secret);
  }
  return [...secrets].map(([value, name]) => ({ name, value }));
}

/** Credentials that stand in settings, by their names or in addresses: an agent that gets them may show them anywhere. */
export function secretsInSettings(settings: JsonObject): readonly KnownSecret[] {
  const values = new Set<string>();
  redactSettings(settings, (rule, given) => {
    for (const value of Array.isArray(given) ? given : [given])
      if (typeof value === "string")
        for (const secret of secretsOf(rule, value)) values.add(secret);
  });
  return [...values]
    .filter((value) => isDistinctive(value) && !plainWords.test(value.trim()))
    .map((value) => ({ name: "a setting", value }));
}

/** Whether a variable that nobody declared holds a credential, by its name and by what its value is not. */
function isCredential(name: string, value: string): boolean {
  if (!isCredentialName(name) || plainWords.test(value.trim())) return false;
  return !(namesPlace.test(name) && looksLikePath.test(value));
}

function declaredValue(name: string, { env, allowShort = false }: KnownSecretsRequest): string {
  const value = env[name];
  if (value === undefined || value.trim() === "") {
    throw new AssayError(
      "ASSAY_SECRET_MISSING",
      `secret ${name} is declared but not set in the environment`,
      {
        data: { name },
      },
    );
  }
  if (!allowShort && sizeOf(value) < minSecretBytes) {
    throw new AssayError(
      "ASSAY_SECRET_TOO_SHORT",
      `secret ${name} has fewer than ${minSecretBytes} bytes`,
      {
        data: { name },
      },
    );
  }
  return value;
}

function credentialsIn(text: string): string[] {
  const found: string[] = [];
  replaceCredentials(text, { isHeader: false }, ({ rule, value }) => {
    found.push(...secretsOf(rule, value));
    return "";
  });
  return found;
}

function secretsOf(rule: string, value: string): string[] {
  return rule === "url-user-info" ? userInfoParts(value) : [value.replace(/^(["'])(.*)\1$/s, "$2")];
}

/** The password, and a user name long enough to be a token; as written and decoded. */
function userInfoParts(userInfo: string): string[] {
  const colon = userInfo.indexOf(":");
  const user = colon === -1 ? userInfo : userInfo.slice(0, colon);
  const parts = [
    ...(colon === -1 ? [] : [userInfo.slice(colon + 1)]),
    ...(user.length < minTokenLength ? [] : [user]),
  ];
  return parts.flatMap((part) => [decoded(part), part]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded after all: the text is the value.
    return text;
  }
}

function isDistinctive(value: string): boolean {
  const text = value.trim();
  return sizeOf(text) >= minSecretBytes && !tooCommon.test(text);
}

function sizeOf(value: string): number {
  return Buffer.byteLength(value.trim(), "utf8");
}
