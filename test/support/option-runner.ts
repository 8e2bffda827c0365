import { defineRunner, type RunnerFactory } from "assay/runners";
import { z } from "zod";
import type { OptionOverride } from "../../packages/assay/src/contracts/runner.ts";
import { stringMap } from "../../packages/assay/src/schema/free-form.ts";
import { hostPath } from "../../packages/assay/src/schema/path-option.ts";
import {
  credential,
  type OptionTable,
  operational,
  shapes,
} from "../../packages/assay/src/support/options.ts";

export function factoryOf<T extends OptionTable>(
  options: T,
  check?: (values: never) => void,
): RunnerFactory<T> {
  return defineRunner({
    name: "tool",
    description: "For tests.",
    needs: [],
    options,
    ...(check === undefined ? {} : { check: check as never }),
    timeLimitS: () => null,
    trialIdSuffix: () => "t",
    run: async (_task, context) => ({ output: JSON.stringify(context.options) }),
  });
}

export const binding = { suiteName: "checkout", baseDir: "/project/evals", overrides: [] };
export const text = (
  path: string,
  value: string,
  origin: OptionOverride["origin"] = "flag",
): OptionOverride => ({
  path: path.split("."),
  value,
  isText: true,
  origin,
});
export const typed = (
  path: string,
  value: OptionOverride["value"],
  origin: OptionOverride["origin"] = "call",
): OptionOverride => ({
  path: path.split("."),
  value,
  isText: false,
  origin,
});

export const tool = factoryOf({
  model: shapes(z.string().default("small")),
  timeoutS: shapes(z.number().positive().nullable().default(600)),
  isVerbose: shapes(z.boolean().default(false)),
  skills: shapes(z.array(z.string()).default([])),
  limits: shapes(
    z
      .strictObject({ memoryMb: z.int().default(512), cpuCount: z.int().default(1) })
      .default({ memoryMb: 2048, cpuCount: 2 }),
  ),
  env: shapes(stringMap().default({})),
  command: operational(hostPath().default("tool"), "known by its version"),
  apiKey: credential(z.string().min(8).optional()),
});

export function configured(given: Parameters<typeof tool>[0], ...overrides: OptionOverride[]) {
  const runner = tool(given).configure?.({ ...binding, overrides });
  const effective = runner?.effectiveOptions?.();
  if (runner === undefined || effective === undefined)
    throw new Error("a defined runner can be configured");
  return { runner, ...effective };
}
