import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { isPlainObject, parseJson } from "../../support/json.ts";

/** A package that is no dependency of Assay's: whoever uses what needs it has installed it. */
export interface InstalledPackage {
  readonly version: string;
  /** Its folder. */
  readonly directory: string;
  /** Loads it; of `name`, where given, a package that it depends on itself. */
  load(name?: string): unknown;
}

/** Looks below each directory, then beside Assay, as Node does. Null when it is nowhere. */
export function findPackage(name: string, directories: readonly string[]): InstalledPackage | null {
  const own = path.dirname(fileURLToPath(import.meta.url));
  for (const directory of [...directories, own]) {
    const entry = resolveFrom(directory, name);
    const found = entry === null ? null : packageOf(entry, name);
    if (entry === null || found === null) continue;
    const requireBeside = createRequire(entry);
    return {
      ...found,
      load: (dependency) => loadQuietly(() => requireBeside(dependency ?? entry) as unknown),
    };
  }
  return null;
}

function resolveFrom(directory: string, name: string): string | null {
  try {
    return createRequire(path.join(directory, "package.json")).resolve(name);
  } catch {
    // It is not there, or has no entry: both mean that it cannot be loaded from here.
    return null;
  }
}

/** By the nearest package.json of that name above its entry: not every package lets its own be asked for. */
function packageOf(
  entry: string,
  name: string,
): Pick<InstalledPackage, "version" | "directory"> | null {
  for (let directory = path.dirname(entry); ; directory = path.dirname(directory)) {
    const file = path.join(directory, "package.json");
    if (existsSync(file)) {
      const content = parseJson(readFileSync(file, "utf8"), file);
      if (isPlainObject(content) && content["name"] === name) {
        const version = content["version"];
        return typeof version === "string" ? { version, directory } : null;
      }
    }
    if (path.dirname(directory) === directory) return null;
  }
}

const processEvents = ["SIGINT", "SIGTERM", "SIGHUP", "unhandledRejection", "beforeExit", "exit"];

/**
 * What ends this process is not for a library to decide: the listeners that loading one adds are taken off again. Loading
 * is synchronous, so no other code can have added any meanwhile.
 */
function loadQuietly<T>(load: () => T): T {
  const emitter: NodeJS.EventEmitter = process;
  const before = new Map(processEvents.map((event) => [event, new Set(emitter.listeners(event))]));
  try {
    return load();
  } finally {
    for (const [event, listeners] of before) {
      for (const listener of emitter.listeners(event)) {
        if (!listeners.has(listener)) emitter.off(event, listener as () => void);
      }
    }
  }
}
