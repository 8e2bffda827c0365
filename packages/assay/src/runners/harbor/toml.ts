import { parse, TomlError } from "smol-toml";

import { AssayError } from "../../errors/assay-error.ts";

const maxDepth = 100;

/**
 * The data of a TOML 1.0 document, in tables without a prototype. Integers beyond the safe ones are bigints, dates and times
 * are `Date`s. Throws `ASSAY_CONFIG_INVALID` with the line that is wrong.
 */
export function parseToml(text: string, source: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text, { integersAsBigInt: "asNeeded", maxDepth });
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const { line, message } = thrown;
    // What follows is a piece of the document, which nobody asked to see.
    const [said = ""] = message.replace("Invalid TOML document: ", "").split("\n");
    throw new AssayError("ASSAY_CONFIG_INVALID", `${source}, line ${line}: ${said}`, {
      data: { source, line },
    });
  }
}
