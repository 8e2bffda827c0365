import { knownSecretsOf } from "../provenance/redaction/known-secrets.ts";
import { createRedactor } from "../provenance/redaction/redactor.ts";

/**
 * Text that may be shown: values of the environment's variables whose names say credential are taken out, in every
 * form in which they may be written.
 */
export function redactText(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  return createRedactor({ secrets: knownSecretsOf({ declared: [], env }) }).text(text);
}
