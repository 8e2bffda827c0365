import type { Redactor } from "../contracts/redactor.ts";
import { type JsonValue, parseJson } from "../support/json.ts";

/**
 * Text that may be shown: what looks like a credential is taken out, and values of the environment's variables whose names say credential, and of those that a suite
 * declares as secret, in every form in which they may be written.
 */
export async function redactText(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  declared: Iterable<string> = [],
): Promise<string> {
  return (await shownRedactor(env, declared)).text(text);
}

/** The text of a JSON document that may be shown, in the same way: it stays JSON. */
export async function redactDocument(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  declared: Iterable<string> = [],
): Promise<string> {
  const redactor = await shownRedactor(env, declared);
  if (!redactor.mayContain(text)) return text;
  const document = parseJson(text, "the document") as JsonValue;
  return JSON.stringify(redactor.json(document), null, 2);
}

/** Facts of a bundle that may be shown, in the same way: before they are laid out, as broken lines may part a secret. */
export async function redactFacts<T>(
  facts: T,
  env: Readonly<Record<string, string | undefined>>,
  declared: Iterable<string> = [],
): Promise<T> {
  return (await shownRedactor(env, declared)).json(facts as JsonValue) as T;
}

/** The redactor is loaded when there is something to show. */
async function shownRedactor(
  env: Readonly<Record<string, string | undefined>>,
  declared: Iterable<string>,
): Promise<Redactor> {
  const { earlyRedactor } = await import("./plan/run-secrets.ts");
  return earlyRedactor(
    [...declared].map((name) => ({ name })),
    env,
  );
}
