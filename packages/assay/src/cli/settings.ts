import { InvalidArgumentError } from "commander";

import type { OptionOverride } from "../entries/index.ts";

/** `-P key=value` and `--label key=value`, repeatable. The last one of a key counts. */
export function collectPair(
  text: string,
  earlier: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { key, value } = splitPair(text, "key=value");
  const pairs: Record<string, string> = Object.create(null);
  return Object.assign(pairs, earlier, { [key]: value });
}

export function collectText(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text];
}

/** `--set target.model=x`, repeatable; the option's schema gives the text its type. */
export function collectSetting(
  text: string,
  earlier: readonly OptionOverride[] = [],
): readonly OptionOverride[] {
  const { key, value } = splitPair(text, "target.<option>=value");
  const [root, ...path] = key.split(".");
  if (root !== "target" || path.length === 0 || path.includes("")) {
    throw new InvalidArgumentError("It sets options of the target: target.<option>=value.");
  }
  return [...earlier, { path, value, isText: true, origin: "flag" }];
}

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError("It takes a whole number of at least 1.");
  }
  return value;
}

/** `unit` is what the number counts, in the plural. */
export function positiveAmount(unit: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d*\.?\d+$/.test(text) || !Number.isFinite(value) || value <= 0) {
      throw new InvalidArgumentError(`It takes a number of ${unit} above 0.`);
    }
    return value;
  };
}

const prefix = "ASSAY_SET_";

/** `ASSAY_SET_TARGET__MODEL=x` is `--set target.model=x`: two underscores part the path, names are lower-cased. */
export function environmentSettings(env: Readonly<Record<string, string | undefined>>): {
  readonly settings: readonly OptionOverride[];
  readonly unusable: readonly string[];
} {
  const names = Object.keys(env)
    .filter((name) => name.startsWith(prefix))
    .sort();
  const settings: OptionOverride[] = [];
  const unusable: string[] = [];
  for (const name of names) {
    const [root, ...path] = name.slice(prefix.length).toLowerCase().split("__");
    const value = env[name];
    if (root !== "target" || path.length === 0 || path.includes("") || value === undefined)
      unusable.push(name);
    else settings.push({ path, value, isText: true, origin: "environment" });
  }
  return { settings, unusable };
}

function splitPair(text: string, form: string): { readonly key: string; readonly value: string } {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError(`It takes ${form}.`);
  return { key: text.slice(0, at), value: text.slice(at + 1) };
}
