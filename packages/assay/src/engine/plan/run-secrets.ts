import type { Redactor } from "../../contracts/redactor.ts";
import { knownSecretsOf } from "../../provenance/redaction/known-secrets.ts";
import { createRedactor } from "../../provenance/redaction/redactor.ts";
import { type KnownSecret, searchedValues } from "../../provenance/redaction/secret.ts";
import type { SecretDefinition } from "../suite/suite.ts";

export interface RunSecrets {
  /** Values of the declared ones, by name: what runners may use. */
  readonly declared: Readonly<Record<string, string>>;
  /** Everything that is removed from what is stored and shown. */
  readonly known: readonly KnownSecret[];
}

/** Throws `ASSAY_SECRET_MISSING` or `ASSAY_SECRET_TOO_SHORT` for a declared one. */
export function runSecrets(
  definitions: readonly SecretDefinition[],
  env: Readonly<Record<string, string | undefined>>,
): RunSecrets {
  const names = (isShort: boolean) =>
    definitions.filter(({ allowShort = false }) => allowShort === isShort).map(({ name }) => name);
  const known = knownSecretsOf({ declared: names(false), env });
  const short = knownSecretsOf({
    declared: names(true),
    env: pick(env, names(true)),
    allowShort: true,
  });
  const declared = pick(
    env,
    definitions.map(({ name }) => name),
  ) as Record<string, string>;
  return { declared, known: [...known, ...short] };
}

/** For what is shown where no run is prepared: a declared secret that is not set, or is refused, hides nothing. */
export function earlyRedactor(
  declared: readonly SecretDefinition[],
  env: Readonly<Record<string, string | undefined>>,
): Redactor {
  const sound = declared.filter((definition) => isSound(definition, env[definition.name]));
  return createRedactor({ secrets: runSecrets(sound, env).known });
}

function isSound(definition: SecretDefinition, value: string | undefined): boolean {
  try {
    return (
      runSecrets([definition], { [definition.name]: value }).known.flatMap(searchedValues).length >
      0
    );
  } catch {
    return false;
  }
}

function pick(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string | undefined> {
  return Object.fromEntries(names.map((name) => [name, env[name]]));
}
