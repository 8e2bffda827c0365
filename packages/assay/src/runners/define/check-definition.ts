import { AssayError } from "../../errors/assay-error.ts";
import { getOwn, isPlainObject } from "../../support/json.ts";
import { optionRoles } from "../../support/options.ts";

const texts = ["name", "description"];

/** Suites are not type-checked when they are loaded: what a definition lacks is told before any trial is lost by it. */
export function checkDefinition(
  definition: object,
  { maker, functions }: { readonly maker: string; readonly functions: readonly string[] },
): void {
  const options = getOwn(definition, "options");
  const problems = [
    ...functions
      .filter((key) => typeof getOwn(definition, key) !== "function")
      .map((key) => `${key} must be a function`),
    ...texts
      .filter((key) => typeof getOwn(definition, key) !== "string")
      .map((key) => `${key} must be a string`),
    ...(Array.isArray(getOwn(definition, "needs")) ? [] : ["needs must be a list of strings"]),
    ...(isPlainObject(options) ? optionProblems(options) : ["options must be an object"]),
  ];
  if (problems.length === 0) return;
  const name = getOwn(definition, "name");
  const who = typeof name === "string" ? `${maker} "${name}"` : maker;
  throw new AssayError("ASSAY_TARGET_INVALID", `${who}: ${problems.join("; ")}`);
}

function optionProblems(options: Record<string, unknown>): string[] {
  return Object.keys(options).flatMap((key) => {
    const option = options[key];
    const hasRole =
      typeof option === "object" &&
      option !== null &&
      optionRoles.some((role) => getOwn(option, "role") === role);
    return hasRole
      ? []
      : [`options.${key} needs a role: shapes(...), operational(...) or credential(...)`];
  });
}
