import { getOwn } from "../../support/json.ts";
import type { SecretDefinition } from "./suite.ts";

/**
 * The secrets that a suite declares, as far as that can be read off it before it is checked, by its value or its text:
 * errors that are told meanwhile must not show them. What is wrong with the declaration is told by who checks it.
 */
export function secretsOfValue(suite: unknown): readonly SecretDefinition[] {
  try {
    const secrets = typeof suite === "object" && suite !== null ? getOwn(suite, "secrets") : null;
    return Array.isArray(secrets) ? secrets.flatMap(definitionOf) : [];
  } catch {
    // A suite may be any object: one that refuses to be read declares nothing.
    return [];
  }
}

function definitionOf(item: unknown): readonly SecretDefinition[] {
  if (typeof item === "string") return [{ name: item }];
  if (typeof item !== "object" || item === null) return [];
  const name = getOwn(item, "name");
  const allowShort = [getOwn(item, "allowShort"), getOwn(item, "allow_short")].includes(true);
  return typeof name === "string" ? [{ name, allowShort }] : [];
}

/** A list in brackets, of any language, or the items of a YAML list below the key. */
const declaration =
  /\bsecrets\b["']?\s*[:=]\s*(?:\[([^\]]*)|((?:#[^\n]*)?(?:\r?\n[ \t]*(?:(?:-|#|name:|allow_short:)[^\n]*)?)+))/g;

/** Every word of the declarations: those that name no variable hide nothing. */
export function secretsOfText(text: string): readonly SecretDefinition[] {
  const words = [...text.matchAll(declaration)].flatMap(
    ([, list = "", items = ""]) => `${list}${items}`.match(/[A-Za-z_]\w*/g) ?? [],
  );
  return [...new Set(words)].map((name) => ({ name }));
}
