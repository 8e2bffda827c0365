import { createRequire, isBuiltin } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Jiti, JitiOptions, TransformOptions } from "jiti";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError, errorNameOf, isThrown, stackOf } from "../../errors/assay-error.ts";
import { getOwn } from "../../support/json.ts";
import { isLocalFile } from "../../support/local-file.ts";
import { isTransformed, packageOf, toPath } from "./local-modules.ts";
import { parseLocatedJson } from "./located-json.ts";
import { ModuleGraph } from "./module-graph.ts";
import { ModuleTransform } from "./module-transform.ts";
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

/** Runs before the module's own code, on the same line, so that line numbers stay. */
const prelude = `"use strict";jitiImport=require.options.importFrom(__filename,jitiImport,jitiESMResolve);`;

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
  readonly #transform: ModuleTransform;
  readonly #jiti: Jiti;
  readonly #graph = new ModuleGraph();
  readonly #cache: Record<string, never> = {};

  constructor(request: LoaderRequest, plain: Jiti, createHooked: (hooks: Hooks) => Jiti) {
    this.#request = request;
    this.#transform = new ModuleTransform(plain, request.code, (file) => this.#shown(file));
    this.#jiti = createHooked({
      alias: Object.fromEntries([...request.own].map(([name, url]) => [name, fileURLToPath(url)])),
      transform: (options) => ({ code: prelude + this.#transform.run(options) }),
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
    return loaded as Record<string, unknown>;
  }

  async #import(specifier: string, from: NestedImport): Promise<unknown> {
    const own = this.#ownExport(specifier, from);
    if (own !== null) return await import(own);
    if (isBuiltin(specifier) || specifier.startsWith("data:"))
      return await from.original(specifier);
    const file = this.#resolve(specifier, from);
    return isLocalFile(file) ? await this.#loadLocal(file, from) : await from.original(specifier);
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
    const { line, column } = lineAndColumn(source, Math.max(...found, 0));
    return `${this.#shown(importer)}:${line}:${column}`;
  }

  async #loadLocal(file: string, { importer, original }: ImportSite): Promise<unknown> {
    return await this.#graph.get(file, importer, {
      soFar: () => getOwn(this.#cache[file] ?? {}, "exports") ?? {},
      evaluate: async () => {
        const { code, files } = this.#request;
        const bytes = code.bytes(file) ?? (await files.readBytes(file));
        if (isTransformed(file, textOf(bytes))) return await this.#evaluate(file, bytes);
        if (path.extname(file) === ".json")
          return { default: parseLocatedJson(code.add(file, bytes), this.#shown(file)) };
        return await this.#require(file, importer, { bytes, original });
      },
    });
  }

  async #evaluate(file: string, bytes: Uint8Array): Promise<unknown> {
    return await this.#jiti.evalModule(this.#request.code.add(file, bytes), {
      id: file,
      filename: file,
      ext: path.extname(file),
      cache: this.#cache,
      async: true,
      forceTranspile: true,
    });
  }

  /** Node evaluates it, with the bytes that are recorded; it may have done so before. */
  async #require(
    file: string,
    importer: string | null,
    { bytes, original }: { readonly bytes: Uint8Array; readonly original: Import },
  ): Promise<unknown> {
    const { code, suite } = this.#request;
    try {
      createRequire(importer ?? suite.path)(file);
    } catch (thrown) {
      if (!isForTransform(thrown, file)) throw thrown;
      return await this.#evaluate(file, bytes);
    }
    code.add(file, bytes);
    return await original(file);
  }

  /** What is imported later, inside a function, and what CommonJS modules require, shapes results too. */
  async recordFurtherModules(): Promise<void> {
    const { code, own } = this.#request;
    for (const { importer, specifier } of this.#transform.imports()) {
      const isOther = own.has(specifier) || isBuiltin(specifier);
      const file = isOther ? null : this.#tryResolve(specifier, importer);
      const text = file === null ? null : await this.#record(file);
      if (file !== null && text !== null) this.#transform.peek(file, text);
    }
    const { cache } = createRequire(this.#request.suite.path);
    for (const file of code.paths()) {
      for (const { filename } of cache[file]?.children ?? []) await this.#record(filename);
    }
  }

  /** Gives its text; null for what is no local file or is recorded already. */
  async #record(file: string): Promise<string | null> {
    const { code, files } = this.#request;
    if (!isLocalFile(file) || code.has(file)) return null;
    return code.add(file, await files.readBytes(file));
  }

  #tryResolve(specifier: string, importer: string): string | null {
    const found = this.#jiti.esmResolve(specifier, {
      parentURL: pathToFileURL(importer).href,
      try: true,
    });
    return found === undefined ? null : toPath(found);
  }

  #shown(file: string): string {
    return shownPath(file, this.#request.suite);
  }
}

type NestedImport = ImportSite & { readonly importer: string };

interface ImportSite {
  readonly importer: string | null;
  readonly original: Import;
  readonly resolve: Resolve;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

/**
 * Whether Node refused the module's text, as it does with a module of ECMAScript that waits at its top. The transform
 * takes it, or tells better what is wrong with it.
 */
function isForTransform(thrown: unknown, file: string): boolean {
  if (errorNameOf(thrown) === "SyntaxError")
    return stackOf(thrown)?.startsWith(`${file}:`) === true;
  const code = codeOf(thrown);
  return code === "ERR_REQUIRE_ASYNC_MODULE" || code === "ERR_REQUIRE_ESM";
}

/** A suite can throw what throws again when it is looked at. */
function codeOf(thrown: unknown): unknown {
  try {
    return isThrown(thrown, Error) && "code" in thrown ? thrown.code : null;
  } catch {
    return null;
  }
}
