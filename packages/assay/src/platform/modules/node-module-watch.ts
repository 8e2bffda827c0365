import nodeModule from "node:module";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";

import type { ModuleObserver, ModuleWatch } from "../../contracts/modules.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { parseJson } from "../../support/json.ts";
import { isLocalFile } from "../../support/local-file.ts";
import { ServedModules } from "./served-modules.ts";

interface LoadResult {
  readonly format: string;
  readonly source?: string | ArrayBuffer | Uint8Array | null;
}

/** `module.registerHooks`: Node 22.15 and later. */
interface SyncHooks {
  resolve(
    specifier: string,
    context: { readonly parentURL?: string },
    next: (specifier: string, context: object) => { readonly url: string },
  ): { readonly url: string };
  load(
    url: string,
    context: object,
    next: (url: string, context: object) => LoadResult,
  ): LoadResult;
}

interface LoadedModule {
  exports: unknown;
  _compile(content: string, ...more: unknown[]): unknown;
}

type Extension = (module: LoadedModule, file: string) => void;

/** Members of `node:module` that every version has and that its types leave out. */
interface ModuleInternals {
  registerHooks?(hooks: SyncHooks): unknown;
  _extensions: Record<string, Extension>;
  _load(request: string, parent: unknown, ...more: unknown[]): unknown;
  _resolveFilename(request: string, parent: unknown, ...more: unknown[]): string;
}

const internals = nodeModule as unknown as ModuleInternals;

/** The watch over the modules of this process. Nothing is hooked before somebody observes. */
export const nodeModuleWatch: ModuleWatch = {
  seesImports: internals.registerHooks !== undefined,
  observe(observer: ModuleObserver): void {
    served ??= hooked(new ServedModules());
    served.observe(observer);
  },
};

let served: ServedModules | null = null;

function hooked(modules: ServedModules): ServedModules {
  hookRepeats(modules);
  if (internals.registerHooks !== undefined) internals.registerHooks(syncHooks(modules));
  else hookExtensions(modules);
  return modules;
}

function syncHooks(modules: ServedModules): SyncHooks {
  return {
    resolve(specifier, context, next) {
      const result = next(specifier, context);
      const file = watched(result.url);
      const { parentURL } = context;
      const importer = parentURL?.startsWith("file:") ? fileURLToPath(parentURL) : null;
      if (file !== null) modules.resolved({ file, importer });
      return result;
    },
    load(url, context, next) {
      const result = next(url, context);
      const file = watched(url);
      if (file === null) return result;
      const bytes = modules.serve(file);
      const isSame = result.source == null || sameBytes(result.source, bytes);
      return isSame ? result : { ...result, source: bytes };
    },
  };
}

function sameBytes(source: string | ArrayBuffer | Uint8Array, bytes: Uint8Array): boolean {
  const given =
    typeof source === "string" ? Buffer.from(source) : Buffer.from(source as Uint8Array);
  return given.equals(bytes);
}

/** What is required for a second time is neither resolved nor read by Node; whoever asks for it is told of all the same. */
function hookRepeats(modules: ServedModules): void {
  const load = internals._load;
  internals._load = function (request, parent, ...more) {
    const filename = (parent as { readonly filename?: unknown } | null | undefined)?.filename;
    const importer = typeof filename === "string" ? filename : null;
    const file = mayBeLocal(request, importer) ? tryResolve(request, parent) : null;
    if (file !== null && isWatched(file)) modules.resolved({ file, importer });
    return load.call(this, request, parent, ...more);
  };
}

/** Packages ask for their own files and each other's by relative and bare names. */
function mayBeLocal(request: unknown, importer: string | null): request is string {
  if (typeof request !== "string" || nodeModule.isBuiltin(request)) return false;
  return isAbsolute(request) || importer === null || isLocalFile(importer);
}

/** What cannot be resolved is told by Node itself. */
function tryResolve(request: string, parent: unknown): string | null {
  try {
    return internals._resolveFilename(request, parent);
  } catch {
    return null;
  }
}

/** Node without such hooks: `require` goes through a handler for each kind of file. */
function hookExtensions(modules: ServedModules): void {
  const { ".js": script, ".json": json, ".node": addon } = internals._extensions;
  if (script === undefined || json === undefined || addon === undefined) return;
  internals._extensions[".js"] = (module, file) => {
    if (isWatched(file)) compileInstead(module, text(modules.serve(file)));
    script(module, file);
  };
  internals._extensions[".json"] = (module, file) => {
    if (isWatched(file)) module.exports = parsed(file, text(modules.serve(file)));
    else json(module, file);
  };
  internals._extensions[".node"] = (module, file) => {
    if (isWatched(file)) modules.serve(file);
    addon(module, file);
  };
}

/** Node reads the file, says what kind of module it is and compiles it: with other bytes than it read. */
function compileInstead(module: LoadedModule, content: string): void {
  const compile = module._compile;
  module._compile = function (_read, ...more) {
    module._compile = compile;
    return compile.call(this, content, ...more);
  };
}

/** As Node does it, faults included. */
function parsed(file: string, content: string): unknown {
  try {
    return parseJson(content.replace(/^\uFEFF/, ""), file);
  } catch (thrown) {
    const cause = AssayError.isInstance(thrown) ? thrown.cause : thrown;
    if (cause instanceof Error) cause.message = `${file}: ${cause.message}`;
    throw cause;
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

/** The same from src/platform/modules and from dist/platform/modules. */
const ownRoot = fileURLToPath(new URL("../../../", import.meta.url));

/** Neither a package nor Assay itself. */
function isWatched(file: string): boolean {
  return isLocalFile(file) && !file.startsWith(ownRoot);
}

function watched(url: string): string | null {
  if (!url.startsWith("file:")) return null;
  const file = fileURLToPath(url);
  return isWatched(file) ? file : null;
}
