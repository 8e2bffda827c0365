import assert from "node:assert/strict";

import type { AgentTaskRunner } from "../../contracts/runner.ts";
import { settingsDigest } from "../../provenance/digests.ts";
import { canonicalJson } from "../../support/canonical-json.ts";
import { formatRow } from "../../support/json.ts";
import { toSnakeCase } from "../../support/names.ts";
import type { OptionRole } from "../../support/options.ts";
import { type ConformanceCheck, check } from "./check.ts";
import { bind } from "./run-scenario.ts";
import type { RunnerSubject } from "./subject.ts";

/** What each option does to the record of the settings. */
export function optionChecks<O extends object>({
  make,
  optionMutations,
}: RunnerSubject<O>): readonly ConformanceCheck[] {
  const names = Object.keys(optionMutations);
  const recorded = (options?: Partial<O>) => recordOf(make(options));
  return [
    check("every option that is recorded has another value to be checked with", () => {
      const known = new Set(names.map(toSnakeCase));
      const missing = Object.keys(recorded().roles).filter((key) => !known.has(key));
      assert.deepEqual(missing, [], `optionMutations lacks ${missing.join(", ")}`);
    }),
    ...names.map((name) =>
      check(`another ${name} is recorded as its role says`, () => {
        const mutation = optionMutations[name as keyof O];
        const key = toSnakeCase(name);
        assertRole(key, recorded(), recorded({ [name]: mutation } as Partial<O>), mutation);
      }),
    ),
  ];
}

interface Recorded {
  readonly config: string;
  readonly digest: string;
  readonly roles: Readonly<Record<string, OptionRole>>;
}

function recordOf(made: AgentTaskRunner): Recorded {
  const runner = bind(made, "");
  const { name, kind, config } = runner.runnerInfo();
  const effective = runner.effectiveOptions?.();
  if (effective !== undefined) {
    const message = "effectiveOptions().config and runnerInfo().config differ";
    assert.equal(canonicalJson(effective.config), canonicalJson(config), message);
  }
  // A runner that says no roles has all of its settings shape results.
  const everything = Object.keys(config).map((key) => [key, "shapes"] as const);
  return {
    config: formatRow(config),
    digest: settingsDigest({ name, kind, shaping: effective?.shaping ?? config }),
    roles: effective?.roles ?? Object.fromEntries(everything),
  };
}

function assertRole(key: string, usual: Recorded, mutated: Recorded, mutation: unknown): void {
  const role = usual.roles[key];
  assert.ok(role !== undefined, `there is no option "${key}"`);
  if (role === "credential") {
    assertHidden(key, mutated, mutation);
    assert.equal(mutated.digest, usual.digest, `credential "${key}" changed the settings digest`);
    return;
  }
  assert.notEqual(mutated.config, usual.config, `another "${key}" left \`config\` as it was`);
  if (role === "shapes") {
    assert.notEqual(mutated.digest, usual.digest, `another "${key}" left the settings digest`);
  } else {
    assert.equal(mutated.digest, usual.digest, `operational "${key}" changed the settings digest`);
  }
}

/** A credential is recorded by its name, never by its value. */
function assertHidden(key: string, { config }: Recorded, value: unknown): void {
  const texts = typeof value === "string" ? [value] : Object.values(Object(value)).map(String);
  assert.ok(config.includes(`"${key}":`), `credential "${key}" is not recorded by name`);
  for (const text of texts) {
    assert.ok(!config.includes(text), `the value of credential "${key}" is recorded`);
  }
}
