import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

import { LongestFirst } from "./test/setup/longest-first.ts";

const entries = fileURLToPath(new URL("./packages/assay/src/entries", import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^assay$/, replacement: `${entries}/index.ts` },
      { find: /^assay\/([a-z-]+)$/, replacement: `${entries}/$1.ts` },
    ],
  },
  test: {
    include: ["packages/assay/src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", "**/fixtures/**"],
    setupFiles: ["./test/setup/property-seed.ts"],
    reporters: ["default", "./test/setup/count-reporter.ts"],
    // Many tests wait for processes: a worker for each core would leave a quarter of a machine of two idle.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    testTimeout: 20_000,
    hookTimeout: 30_000,
    passWithNoTests: false,
    coverage: {
      provider: "v8",
      include: ["packages/assay/src/**/*.ts"],
      exclude: ["**/*.test.ts", "**/fixtures/**"],
      reportsDirectory: "coverage",
    },
  },
});
