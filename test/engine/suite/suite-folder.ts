import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Metric } from "../../../packages/assay/src/contracts/metric.ts";
import type { AgentTaskRunner } from "../../../packages/assay/src/contracts/runner.ts";
import {
  type LoadRequest,
  loadSuite,
} from "../../../packages/assay/src/engine/suite/load-suite.ts";
import type { Suite } from "../../../packages/assay/src/engine/suite/suite.ts";
import { AssayError } from "../../../packages/assay/src/errors/assay-error.ts";
import { nodeFileStore } from "../../../packages/assay/src/platform/files/node-file-store.ts";
import { nodeModuleWatch } from "../../../packages/assay/src/platform/modules/node-module-watch.ts";
import type { RunnerEntry, RunnerMap } from "../../../packages/assay/src/runners/map.ts";
import type { JsonObject } from "../../../packages/assay/src/support/json.ts";

/** A folder of files outside the checkout, removed after the test. */
export function suiteFolder(files: Readonly<Record<string, string>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "assay-suite-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

export function testMetric(type: string, config: JsonObject = {}): Metric {
  return {
    type,
    version: null,
    config,
    outputs: [{ name: "score", kind: "continuous", description: null, absent: 0 }],
    needs: ["text"],
    compute: async () => ({ outputs: { score: 1 } }),
  };
}

export function testRunner(config: JsonObject = {}): AgentTaskRunner {
  return {
    contractVersion: 1,
    runnerInfo: () => ({ name: "stand_in", kind: "runner", version: null, config }),
    runTasks: async function* () {},
  };
}

const runners: RunnerMap = {
  stand_in: async () =>
    ({
      definition: { name: "stand_in", description: "", needs: [], options: {} },
      fromConfig: (wire: unknown) => {
        const { model, ...rest } = wire as Record<string, unknown>;
        const [unknown] = Object.keys(rest);
        if (unknown === undefined) return testRunner({ model: String(model) });
        throw new AssayError("ASSAY_CONFIG_UNKNOWN_KEY", `stand_in has no option "${unknown}"`, {
          data: { key: unknown },
        });
      },
    }) as RunnerEntry,
};

const metricTypes = ["exact_match", "f1"];

export const loadRequest: LoadRequest = {
  files: nodeFileStore,
  modules: nodeModuleWatch,
  runners,
  metricFromConfig: async ({ type, ...config }) => {
    if (metricTypes.includes(String(type))) return testMetric(String(type), config);
    throw new AssayError("ASSAY_NAME_UNKNOWN", `no metric is called "${String(type)}"`);
  },
};

/** Loads `name` of a folder made of `files`. */
export async function load(
  name: string,
  files: Readonly<Record<string, string>>,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Suite> {
  return await loadSuite(join(suiteFolder(files), name), { ...loadRequest, parameters });
}

/** The error that loading gives; its message with the folder's own path taken out. */
export async function loadError(
  name: string,
  files: Readonly<Record<string, string>>,
  parameters: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: string; readonly message: string; readonly remedy: string }> {
  const root = suiteFolder(files);
  try {
    await loadSuite(join(root, name), { ...loadRequest, parameters });
  } catch (error) {
    if (!AssayError.isInstance(error)) throw error;
    const message = error.message.replaceAll(`${root}/`, "");
    return { code: error.code, message, remedy: error.remedy };
  }
  throw new Error("the suite was loaded");
}
