import type { Suite } from "./suite/suite.ts";
import type { LoadSuiteOptions } from "./suite-loader.ts";

/**
 * Loads a suite from a TypeScript or JavaScript module, or from YAML or JSON, and checks it.
 * A module is executed. Throws `user` errors that name the file, the place and the expected shape, and show no value of
 * a declared secret.
 */
export async function loadSuite(file: string, options: LoadSuiteOptions = {}): Promise<Suite> {
  const { loadWithNode } = await import("./suite-loader.ts");
  return await loadWithNode(file, options);
}
