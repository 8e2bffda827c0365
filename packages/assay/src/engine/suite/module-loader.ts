import { isBuiltin } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Jiti, JitiOptions, TransformOptions } from "jiti";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { getOwn, isPlainObject, parseJson } from "../../support/json.ts";
import { parseLocatedJson } from "./located-json.ts";
import { ModuleGraph } from "./module-graph.ts";
import { type OwnExports, ownExportUrl } from "./package-exports.ts";
import { atPlace, lineAndColumn, shownPath } from "./source-place.ts";
import type { CodeRecord } from "./suite-code.ts";

type Import = (specifier: string) => Promise<unknown>;
type Resolve = (specifier: string) => string;

interface LoaderRequest {
  readonly suite: { readonly path: string; readonly shown: string };
  readonly files: FileStore;
  readonly own: OwnExports;
  readonly code: CodeRecord;
}

/** The shared file cache of jiti is never used: code of a suite is written nowhere. Explicit values win over its environment variables. */
const settings: JitiOptions = {
  fsCache: false,
  moduleCache: false,
  tryNative: false,
  interopDefault: false,
  debug: false,
  jsx: false,
  tsconfigPaths: false,
  nativeModules: [],
  transformModules: [],
  esmEvalTempFile: false,
  transformOptions: { retainLines: true },
};

const errorPrefix = "exports.__JITI_ERROR__ = ";
const mapComment = /\n\/\/# sourceMappingURL=data:[^,]*;base64,([\w+/=]+)\s*$/;
/** Runs before the module's own code, on the same line, so that line numbers stay. */
const prelude = `"use strict";jitiImport=require.options.importFrom(__filename,jitiImport,jitiESMResolve);`;
const namedImport = /\bjitiImport\(("(?:[^"\\]|\\.)*")\)/g;

/** Loads a suite module and every local module it imports, TypeScript or not, and records their bytes. */
export async function createModuleLoader(request: LoaderRequest): Promise<ModuleLoader> {
  const { createJiti } = await import("jiti");
  const plain = createJiti(request.suite.path, { ...settings, sourceMaps: true });
  return new ModuleLoader(request, plain, (hooks) =>
    createJiti(request.suite.path, { ...settings, ...hooks } as JitiOptions),
  );
}

interface Hooks {
  readonly alias: Record<string, string>;
  transform(options: TransformOptions): { readonly code: string };
  importFrom(importer: string, original: Import, resolve: Resolve): Import;
}

export class ModuleLoader {
  readonly #request: LoaderRequest;
  readonly #plain: Jiti;
  readonly #jiti: Jiti;
  readonly #graph = new ModuleGraph();
  readonly #cache: Record<string, never> = {};
  /** Transformed code by file. */
  readonly #transformed = new Map<string, string>();

  constructor(request: LoaderRequest, plain: Jiti, createHooked: (hooks: Hooks) => Jiti) {
    this.#request = request;
    this.#plain = plain;
    this.#jiti = createHooked({
      alias: Object.fromEntries([...request.own].map(([name, url]) => [name, fileURLToPath(url)])),
      transform: (options) => ({ code: this.#transform(options) }),
      importFrom: (importer, original, resolve) => (specifier) =>
        this.#import(specifier, { importer, original, resolve }),
    });
  }

  async load(): Promise<Record<string, unknown>> {
    const { path: file } = this.#request.suite;
    const resolve = (specifier: string) =>
      this.#jiti.esmResolve(specifier, pathToFileURL(file).href);
    const loaded = await this.#loadLocal(file, {
      importer: null,
      original: (id) => this.#jiti.import(id),
      resolve,
    });
    await this.#recordLateImports();
    return loaded as Record<string, unknown>;
  }

  async #import(specifier: string, from: NestedImport): Promise<unknown> {
    const own = this.#ownExport(specifier, from);
    if (own !== null) return await import(own);
    if (isBuiltin(specifier) || specifier.startsWith("data:"))
      return await from.original(specifier);
    const file = this.#resolve(specifier, from);
    return isLocal(file) ? await this.#loadLocal(file, from) : await from.original(specifier);
  }

  #ownExport(specifier: string, { importer }: NestedImport): string | null {
    try {
      return ownExportUrl(specifier, this.#request.own);
    } catch (thrown) {
      if (!AssayError.isInstance(thrown)) throw thrown;
      throw atPlace(thrown, this.#importPlace(specifier, importer), { file: importer });
    }
  }

  #resolve(specifier: string, { importer, resolve }: NestedImport): string {
    try {
      return toPath(resolve(specifier));
    } catch (cause) {
      const isPath = /^[./]/.test(specifier);
      const place = this.#importPlace(specifier, importer);
      throw new AssayError("ASSAY_SUITE_LOAD_FAILED", `${place}: cannot find "${specifier}"`, {
        cause,
        data: { file: importer, specifier },
        remedy: isPath
          ? "Mend the path of the import."
          : `Install the package: npm install ${packageOf(specifier)}`,
      });
    }
  }

  #importPlace(specifier: string, importer: string): string {
    const source = this.#request.code.text(importer) ?? "";
    const found = [`"${specifier}"`, `'${specifier}'`].map((quoted) => source.indexOf(quoted));
    return this.#place(importer, lineAndColumn(source, Math.max(...found, 0)));
  }

  async #loadLocal(file: string, { importer, original }: ImportSite): Promise<unknown> {
    return await this.#graph.get(file, importer, {
      soFar: () => getOwn(this.#cache[file] ?? {}, "exports") ?? {},
      evaluate: async () => {
        const bytes = await this.#request.files.readBytes(file);
        const text = this.#request.code.add(file, bytes);
        if (path.extname(file) === ".json")
          return { default: parseLocatedJson(text, this.#place(file)) };
        if (!isTransformed(file, text)) return await original(file);
        return await this.#jiti.evalModule(text, {
          id: file,
          filename: file,
          ext: path.extname(file),
          cache: this.#cache,
          async: true,
          forceTranspile: true,
        });
      },
    });
  }

  #transform({ babel: _withoutMaps, ...options }: TransformOptions): string {
    const file = options.filename ?? "";
    if (isLocal(file)) this.#request.code.add(file, Buffer.from(options.source));
    const code = this.#plain.transform(options);
    if (code.startsWith(errorPrefix)) throw this.#syntaxError(file, code.slice(errorPrefix.length));
    this.#transformed.set(file, code);
    const map = mapComment.exec(code)?.[1];
    if (map !== undefined) this.#request.code.addMap(file, Buffer.from(map, "base64").toString());
    return prelude + code.replace(mapComment, "");
  }

  #syntaxError(file: string, text: string): AssayError {
    const error = parseJson(text.replace(/;\s*$/, ""), "error of jiti");
    const { line, column, message } = (isPlainObject(error) ? error : {}) as {
      line?: number;
      column?: number;
      message?: string;
    };
    const what = (message ?? "")
      .split("\n")[0]
      ?.replace(`${file}: `, "")
      .replace(/\s*\(\d+:\d+\)\s*$/, "")
      .trim();
    const place = this.#place(file, { line: line ?? 1, column: (column ?? 0) + 1 });
    return new AssayError("ASSAY_SUITE_LOAD_FAILED", `${place}: syntax error: ${what}`, {
      data: { file },
    });
  }

  /** Modules that are named but imported later, inside a function, shape results too. What cannot be read now is told when it is imported. */
  async #recordLateImports(): Promise<void> {
    for (const [file, code] of this.#transformed) {
      for (const [, literal = '""'] of code.matchAll(namedImport)) {
        const specifier = String(parseJson(literal, "import"));
        const found =
          this.#request.own.has(specifier) || isBuiltin(specifier)
            ? null
            : this.#tryResolve(specifier, file);
        if (found === null || !isLocal(found) || this.#request.code.has(found)) continue;
        const text = this.#request.code.add(found, await this.#request.files.readBytes(found));
        if (isTransformed(found, text))
          this.#transformed.set(
            found,
            this.#plain.transform({
              source: text,
              filename: found,
              async: true,
              ts: /ts$/.test(found),
            }),
          );
      }
    }
  }

  #tryResolve(specifier: string, importer: string): string | null {
    const found = this.#jiti.esmResolve(specifier, {
      parentURL: pathToFileURL(importer).href,
      try: true,
    });
    return found === undefined ? null : toPath(found);
  }

  #place(file: string, at?: { readonly line: number; readonly column: number }): string {
    const shown = shownPath(file, this.#request.suite);
    return at === undefined ? shown : `${shown}:${at.line}:${at.column}`;
  }
}

type NestedImport = ImportSite & { readonly importer: string };

interface ImportSite {
  readonly importer: string | null;
  readonly original: Import;
  readonly resolve: Resolve;
}

function isLocal(file: string): boolean {
  return path.isAbsolute(file) && !file.split(path.sep).includes("node_modules");
}

/** CommonJS is left to Node; everything else goes through the transform, so that its own imports are seen. */
function isTransformed(file: string, text: string): boolean {
  const extension = path.extname(file);
  if (/^\.[mc]?ts$/.test(extension) || extension === ".mjs") return true;
  return extension === ".js" && /^\s*(?:import\b|export\b)|\bimport\.meta\b/m.test(text);
}

function toPath(resolved: string): string {
  return resolved.startsWith("file:") ? fileURLToPath(resolved) : resolved;
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
