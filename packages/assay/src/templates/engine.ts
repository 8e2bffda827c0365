import { createRequire } from "node:module";
import type { Environment } from "minijinja-js";

import { floatText, pythonText } from "./python-text.ts";
import { floatFilter, printFilter } from "./rewrite.ts";

/** Steps of the engine in one rendering: about 50 ms, far more than a prompt needs. */
const fuel = 1_000_000;

// Loaded at the first template that needs it: most need none, and loading costs 15 ms.
const require = createRequire(import.meta.url);

interface Loaded {
  readonly environment: Environment;
  /** Names of the compiled sources. */
  readonly compiled: Map<string, string>;
}

let loaded: Loaded | null = null;

function engine(): Loaded {
  loaded ??= { environment: makeEnvironment(), compiled: new Map() };
  return loaded;
}

function makeEnvironment(): Environment {
  const module = require("minijinja-js") as typeof import("minijinja-js");
  const environment = new module.Environment();
  environment.undefinedBehavior = "strict";
  environment.fuel = fuel;
  environment.enablePyCompat();
  // It would print the whole context.
  environment.removeGlobal("debug");
  // A filter that throws leaves the engine unusable, so these never do.
  environment.addFilter(printFilter, pythonText);
  environment.addFilter(floatFilter, floatText);
  return environment;
}

/** Why the source cannot be compiled, in one line, or null. */
export function syntaxError(source: string): string | null {
  return attempt((environment) => environment.addTemplate("assay_check", source)).problem;
}

export type NameKind = "filter" | "test" | "function";

/** True when the engine has no filter, test or function of this name. */
export function isUnknown(kind: NameKind, name: string): boolean {
  const probe = { filter: `1|${name}`, test: `1 is ${name}`, function: `${name}()` }[kind];
  const { problem } = attempt((environment) => environment.evalExpr(probe, {}));
  return problem?.includes(`unknown ${kind}:`) === true;
}

export type Rendered =
  | { readonly text: string; readonly problem: null }
  | { readonly text: null; readonly problem: string };

/** Renders a source that compiles. Compiled sources are kept by their text. */
export function renderSource(source: string, context: object): Rendered {
  const { value, problem } = attempt((environment) => {
    const { compiled } = engine();
    let name = compiled.get(source);
    if (name === undefined) {
      name = `template-${compiled.size}`;
      environment.addTemplate(name, source);
      compiled.set(source, name);
    }
    return environment.renderTemplate(name, context);
  });
  if (problem !== null) return { text: null, problem };
  return { text: value ?? "", problem: null };
}

function attempt<T>(work: (environment: Environment) => T): {
  readonly value: T | null;
  readonly problem: string | null;
} {
  try {
    return { value: work(engine().environment), problem: null };
  } catch (thrown) {
    if (isTrap(thrown)) unload();
    return { value: null, problem: firstLine(thrown) };
  }
}

/** The engine's own errors are plain; these come from WebAssembly itself: memory or stack ran out. */
function isTrap(thrown: unknown): boolean {
  return (
    thrown instanceof Error && ["RuntimeError", "RangeError"].includes(thrown.constructor.name)
  );
}

/**
 * After a trap the engine stays locked and its stack is lost, so the next template gets a new instance.
 * The lost one must never be freed, as its finalizer would: that traps again, where no code can catch it.
 */
function unload(): void {
  (
    loaded?.environment as unknown as { __destroy_into_raw?(): void } | undefined
  )?.__destroy_into_raw?.();
  loaded = null;
  delete require.cache[require.resolve("minijinja-js")];
}

function firstLine(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return (text.split("\n")[0] ?? "").replace(/\(in \S+:(\d+)\)$/, "(line $1)");
}
