import { inspect } from "node:util";

import type { Redactor } from "../contracts/redactor.ts";
import { AssayError, errorNameOf, messageOf, stackOf } from "../errors/assay-error.ts";
import { isJson, type JsonObject } from "../support/json.ts";
import { earlyRedactor } from "./plan/run-secrets.ts";
import type { SecretDefinition } from "./suite/suite.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Does the work. What it throws shows no value of the secrets that are known to be declared by then. */
export async function withRedactedErrors<T>(
  declared: () => readonly SecretDefinition[],
  env: Environment,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw redactedError(thrown, earlyRedactor(declared(), env));
  }
}

/** The same error without secrets. One that holds none, its causes included, is given back as it is. */
export function redactedError(thrown: unknown, redactor: Redactor): unknown {
  if (!redactor.mayContain(shown(thrown))) return thrown;
  if (AssayError.isInstance(thrown)) {
    const data = isJson(thrown.data) ? redactor.json(thrown.data as JsonObject) : {};
    return new AssayError(thrown.code, redactor.text(thrown.message), {
      data,
      remedy: redactor.text(thrown.remedy),
    });
  }
  const clean = new Error(redactor.text(messageOf(thrown)));
  const name = redactor.text(errorNameOf(thrown) ?? "Error");
  return Object.assign(clean, { name, stack: redactor.text(stackOf(thrown) ?? "") });
}

/** All that can be seen of it: the stack may hold an older message. */
function shown(thrown: unknown): string {
  try {
    const all = { depth: 8, maxStringLength: null, maxArrayLength: null };
    const seen = inspect(thrown, { ...all, breakLength: Number.POSITIVE_INFINITY });
    return `${messageOf(thrown)}\n${seen}`;
  } catch {
    // It refuses to be looked at, and its message says so.
    return messageOf(thrown);
  }
}
