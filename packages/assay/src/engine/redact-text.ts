import { createRedactor } from "../provenance/redaction/redactor.ts";
import { secretsSoFar } from "./plan/run-secrets.ts";

/**
 * Text that may be shown: values of the environment's variables whose names say credential, and of those that a suite
 * declares as secret, are taken out, in every form in which they may be written.
 */
export function redactText(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  declared: Iterable<string> = [],
): string {
  const definitions = [...declared].map((name) => ({ name }));
  return createRedactor({ secrets: secretsSoFar(definitions, env) }).text(text);
}
