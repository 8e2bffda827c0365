import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { z } from "zod";

import type { AgentTaskRunner } from "../../packages/assay/src/contracts/runner.ts";
import {
  planDigest,
  resolvedDigest,
  settingsDigest,
} from "../../packages/assay/src/provenance/digests.ts";
import type { RunnerFactory } from "../../packages/assay/src/runners/define/define-runner.ts";
import { type RunnerName, runnerMap } from "../../packages/assay/src/runners/map.ts";
import { toWire } from "../../packages/assay/src/schema/codec.ts";
import { isFunctionSchema, type OptionTable } from "../../packages/assay/src/support/options.ts";
import { folder } from "../engine/run-kit.ts";
import { repoRoot } from "../support/tools.ts";
import { valuesOf } from "./option-values.ts";

const mutations = 10_000;
const changesAtOnce = 8;
const maxRounds = 30;
const names = Object.keys(runnerMap) as RunnerName[];

type Options = Readonly<Record<string, unknown>>;
type Factory = RunnerFactory<OptionTable>;

const factoryOf = async (name: RunnerName) => (await runnerMap[name]()) as unknown as Factory;

const bound = (factory: Factory, options: Options, baseDir: string): AgentTaskRunner | null => {
  try {
    const binding = { suiteName: "s", baseDir, overrides: [] };
    return factory(options as never).configure?.(binding) ?? null;
  } catch {
    // Rules over several options refuse some of what their schemas take.
    return null;
  }
};

const digestsOf = (runner: AgentTaskRunner) => {
  const { name, kind } = runner.runnerInfo();
  const settings = settingsDigest({
    name,
    kind,
    shaping: runner.effectiveOptions?.().shaping ?? {},
  });
  const rest = { toolVersion: null, resolved: {}, codeDigest: null, contentDigest: null };
  return [
    settings,
    resolvedDigest({ settingsDigest: settings, ...rest }),
    planDigest({ settingsDigest: settings, tasks: [], trialsPerTask: 1, metrics: [] }),
  ];
};

/** What the options mean, said without the code under test: each that shapes results, in one spelling. */
const meaningOf = (table: OptionTable, options: Options): string => {
  const shaping = Object.entries(table).filter(([, { role }]) => role === "shapes");
  return JSON.stringify(
    shaping.map(([name, { schema }]) => [name, sorted(effective(schema, options[name]))]),
  );
};

const effective = (schema: z.ZodType, given: unknown): unknown => {
  const value = schema.parse(given) as { readonly name: string; readonly module?: string };
  if (!isFunctionSchema(schema) || value === null || value === undefined)
    return toWire(schema, value) ?? null;
  return [value.module ?? "s", value.name];
};

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? 0 : value;
  // Told apart from a list: an empty one of either kind is another setting.
  return {
    members: Object.entries(value)
      .map(([key, item]) => [key, sorted(item)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  };
};

const literally = (text: string) => new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));

/** The same value with its keys the other way round. */
const backwards = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(backwards);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, backwards(item)] as const);
  return Object.fromEntries(entries.reverse());
};

describe.each(names)("the digests of %s", (name) => {
  it("are equal exactly when the settings that took effect are, whichever option is changed", async () => {
    const factory = await factoryOf(name);
    const { options: table } = factory.definition;
    const values = Object.fromEntries(
      Object.entries(table).map(([key, { schema }]) => [key, valuesOf(schema)]),
    );
    const keys = Object.keys(table);
    const change$ = fc
      .constantFrom(...keys)
      .chain((key) => fc.tuple(fc.constant(key), values[key] ?? fc.constant(undefined)));
    const changes$ = fc.array(change$, { minLength: changesAtOnce, maxLength: changesAtOnce });
    let compared = 0;
    let equal = 0;
    const wanted = mutations / names.length;
    const runs = Math.ceil((wanted * 1.3) / changesAtOnce);

    const round = () =>
      fc.assert(
        fc.property(fc.record(values), changes$, (base: Options, changes) => {
          const before = bound(factory, base, "/a");
          if (before === null) return;
          const [was, meaning] = [digestsOf(before), meaningOf(table, base)];
          for (const [key, value] of changes) {
            const mutated = backwards({ ...base, [key]: value }) as Options;
            const after = bound(factory, mutated, "/b/c");
            if (after === null) continue;
            const isEqual = meaning === meaningOf(table, mutated);
            compared += 1;
            equal += isEqual ? 1 : 0;
            const is = digestsOf(after);
            expect(was.map((digest, index) => digest === is[index])).toEqual(
              was.map(() => isEqual),
            );
          }
        }),
        { numRuns: runs },
      );
    // Where rules over several options refuse most of what is made up, one round compares few.
    for (let rounds = 0; compared < wanted && rounds < maxRounds; rounds += 1) round();

    expect(compared).toBeGreaterThanOrEqual(wanted);
    // Both answers were asked for often.
    expect(equal).toBeGreaterThan(compared / 20);
    expect(compared - equal).toBeGreaterThan(compared / 20);
  });

  it("are made from no address, source text, or path of this machine", async () => {
    const factory = await factoryOf(name);
    const { options: table } = factory.definition;
    const baseDir = "/srv/checkout";
    const leaks = [
      ...[baseDir, `${homedir()}/`, `${tmpdir()}/`, repoRoot].map(literally),
      ...[/=>/, /function/, /0x[0-9a-f]{6}/, /\[object/, /native code/],
    ];

    fc.assert(
      fc.property(
        fc.record(
          Object.fromEntries(
            Object.entries(table).map(([key, { schema }]) => [key, valuesOf(schema)]),
          ),
        ),
        (options) => {
          const shaping = bound(factory, options, baseDir)?.effectiveOptions?.().shaping;
          const text = JSON.stringify(shaping) ?? "";
          // A text that an option was given with is its meaning; only what the code adds can leak.
          const given = JSON.stringify(options);
          for (const leak of leaks) if (!leak.test(given)) expect(text).not.toMatch(leak);
        },
      ),
      { numRuns: 300 },
    );
  });
});

const run = promisify(execFile);
const processes = 50;
const atOnce = 4;
const script = join(repoRoot, "test/provenance/fixtures/print-digests.mjs");
const locales = ["C", "de_DE.UTF-8", "tr_TR.UTF-8", "ja_JP.UTF-8", "ar_EG.UTF-8", "POSIX"];
const zones = ["UTC", "Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati", "Europe/Berlin"];

it(`digests are the same in ${processes} processes, whatever their folder, locale, time zone, host and order of keys`, async () => {
  const root = folder();
  const outputs = new Set<string>();
  const seeds = Array.from({ length: processes }, (_item, index) => index).values();
  const work = async () => {
    for (const seed of seeds) {
      const cwd = join(root, `folder ${seed}`, "deep".repeat(1 + (seed % 5)));
      mkdirSync(cwd, { recursive: true });
      const locale = locales[seed % locales.length] ?? "C";
      const env = {
        PATH: process.env["PATH"] ?? "",
        HOME: cwd,
        TMPDIR: cwd,
        TZ: zones[seed % zones.length] ?? "UTC",
        LANG: locale,
        LC_ALL: locale,
      };
      const { stdout } = await run(process.execPath, [script, String(seed)], { cwd, env });
      outputs.add(stdout);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));

  const [output = ""] = outputs;
  expect(outputs.size).toBe(1);
  const digests = JSON.parse(output) as Record<string, string>;
  expect(Object.keys(digests)).toEqual(
    expect.arrayContaining([...names, "resolved", "plan", "task", "metric", "code"]),
  );
  for (const digest of Object.values(digests)) expect(digest).toMatch(/^assay-\w+-v1:sha256:/);
  expect(new Set(Object.values(digests)).size).toBe(Object.keys(digests).length);
}, 60_000);
