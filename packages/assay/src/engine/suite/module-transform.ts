import type { Jiti, TransformOptions } from "jiti";

import { AssayError } from "../../errors/assay-error.ts";
import { isPlainObject, parseJson } from "../../support/json.ts";
import { isLocalFile } from "../../support/local-file.ts";
import { isTransformed } from "./local-modules.ts";
import type { CodeRecord } from "./suite-code.ts";

const errorPrefix = "exports.__JITI_ERROR__ = ";
const mapComment = /\n\/\/# sourceMappingURL=data:[^,]*;base64,([\w+/=]+)\s*$/;
/** Imports with a literal name in transformed code. */
const namedImport =
  /\b(?:jitiImport|_?require\d*)\((?:"([^"\\\n]*)"|'([^'\\\n]*)'|`([^`\\$\n]*)`)\)/g;

/** Turns TypeScript and ECMAScript modules into code that can be evaluated; what was turned and its map are recorded. */
export class ModuleTransform {
  readonly #jiti: Jiti;
  readonly #code: CodeRecord;
  readonly #shown: (file: string) => string;
  readonly #results = new Map<string, string>();

  /** `shown` is how a file is named in messages. */
  constructor(jiti: Jiti, code: CodeRecord, shown: (file: string) => string) {
    this.#jiti = jiti;
    this.#code = code;
    this.#shown = shown;
  }

  run({ babel: _withoutMaps, ...options }: TransformOptions): string {
    const file = options.filename ?? "";
    const source = isLocalFile(file)
      ? this.#code.add(file, Buffer.from(options.source))
      : options.source;
    const code = this.#jiti.transform({ ...options, source });
    if (code.startsWith(errorPrefix)) throw this.#syntaxError(file, code.slice(errorPrefix.length));
    this.#results.set(file, code);
    const map = mapComment.exec(code)?.[1];
    if (map !== undefined) this.#code.addMap(file, Buffer.from(map, "base64").toString());
    return code.replace(mapComment, "");
  }

  /** Looks into a module that is not evaluated yet. What is wrong in it is told when it is. */
  peek(file: string, source: string): void {
    if (!isTransformed(file, source)) return;
    const options = { source, filename: file, async: true, ts: file.endsWith("ts") };
    this.#results.set(file, this.#jiti.transform(options));
  }

  /** Every import with a literal name, also of modules that are peeked into while this goes on. */
  *imports(): Generator<{ readonly importer: string; readonly specifier: string }> {
    for (const [importer, code] of this.#results) {
      for (const [, ...quoted] of code.matchAll(namedImport)) {
        yield { importer, specifier: quoted.find((text) => text !== undefined) ?? "" };
      }
    }
  }

  #syntaxError(file: string, text: string): AssayError {
    const error = parseJson(text.replace(/;\s*$/, ""), "error of jiti");
    const facts = isPlainObject(error) ? error : {};
    const place = [this.#shown(file), Number(facts["line"]), Number(facts["column"]) + 1].join(":");
    const [first = ""] = String(facts["message"]).split("\n");
    const what = first
      .replace(`${file}: `, "")
      .replace(/\s*\(\d+:\d+\):?\s*$/, "")
      .trim();
    return new AssayError("ASSAY_SUITE_LOAD_FAILED", `${place}: syntax error: ${what}`, {
      data: { file },
    });
  }
}
