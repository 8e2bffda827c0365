import { describe, expect, it } from "vitest";

import { buildStatement } from "../../packages/assay/src/provenance/statement.ts";
import { fromWire } from "../../packages/assay/src/schema/codec.ts";
import type { EnvironmentRecord } from "../../packages/assay/src/schema/environment.ts";
import { wireJsonSchema } from "../../packages/assay/src/schema/json-schema.ts";
import {
  type ProvenancePredicate,
  provenancePredicateSchema,
  provenanceStatementSchema,
  slsaParts,
} from "../../packages/assay/src/schema/provenance.ts";

const sha256 = "0".repeat(64);
const unknown = { unknown: "for a reason" };

const environment: EnvironmentRecord = {
  assay: { version: "0.1.0", integrity: "i" },
  host: {
    os: "linux",
    osRelease: "6",
    architecture: "x64",
    cpuCount: 2,
    nodeVersion: "20.19.0",
    container: unknown,
  },
  source: {
    commit: "abc",
    isDirty: true,
    diffDigest: "d",
    originUrl: unknown,
    submodules: [{ path: "lib", commit: "c", checkedOut: unknown }],
    lockfile: { name: "package-lock.json", sha256 },
  },
};

const predicate: ProvenancePredicate = {
  ...environment,
  run: {
    id: "r1",
    invocationId: "i1",
    suiteName: "checkout",
    status: "completed",
    statusCause: null,
  },
  runner: {
    name: "callable",
    kind: "runner",
    version: null,
    config: { agent_fn: "checkout#agent", keepCase: 1 },
    origins: { timeout_s: "flag" },
    roles: { timeout_s: "shapes" },
  },
  models: {
    requested: "m-1",
    setBy: { option: "config_overrides.model", origin: "flag" },
    served: ["m-1-2026"],
  },
  prompt: { option: "prompt_builder", digest: unknown },
  sandbox: {
    isolation: "container",
    provider: "docker",
    image: "base:1",
    imageDigest: ["sha256:x"],
    limits: { memoryMb: 64 },
    network: "none",
  },
  tool: { version: "1.2.3", resolved: { imageDigest: "sha256:x" }, observed: {} },
  digests: {
    settings: "s",
    resolved: "r",
    plan: "p",
    tasks: "t",
    code: unknown,
    content: null,
  },
  codeFiles: [{ path: "checkout.eval.ts", sha256, loaded: "before_run" }],
  tasks: { count: 1, trialsPerTask: 3, location: "checkout.eval.ts" },
  parameters: { model: "m" },
  metrics: [
    {
      type: "exact-match",
      version: null,
      digest: "d",
      templates: { leftTemplate: "t" },
      judge: { model: "j", digest: "d" },
    },
  ],
  invocations: [
    {
      id: "i1",
      command: ["assay", "run"],
      startedAt: "2026-01-02T03:04:05Z",
      finishedAt: "2026-01-02T03:04:06Z",
      durationMs: 1000.5,
      cause: "completed",
      resumedFrom: null,
      resumedFromId: null,
      accepted: [],
      digests: { settings: "s", resolved: "r", plan: "p" },
      toolVersion: unknown,
      environment,
      redactions: { exactValue: 2 },
    },
  ],
  time: { attemptsMs: 12.5, queueMs: 1, phasesMs: { runAgent: 12 } },
  usage: {
    attempts: 3,
    promptTokens: 10,
    completionTokens: unknown,
    costUsd: 0.5,
    priceTable: unknown,
  },
  cache: { attempts: { hits: 1, misses: 2 }, promptTokens: unknown },
  redactions: { "exact-value": 2 },
  labels: { Benchmark: "checkout" },
  parents: [
    {
      relation: "rescored",
      runId: "r0",
      target: null,
      bundleDigest: "sha256:x",
      digests: unknown,
      tasksLeftOut: 0,
    },
  ],
};

const statement = () => buildStatement({ subjects: [{ name: "trials.jsonl", sha256 }], predicate });

describe("the provenance statement", () => {
  it("is an in-toto statement about the data files", () => {
    const { predicate: _predicate, ...envelope } = statement();

    expect(envelope).toEqual({
      _type: "https://in-toto.io/Statement/v1",
      subject: [{ name: "trials.jsonl", digest: { sha256 } }],
      predicateType: "tag:assay,2026:provenance/v1",
    });
  });

  it("spells its own keys in snake_case and leaves the keys of others alone", () => {
    expect(statement()["predicate"]).toMatchObject({
      run: { suite_name: "checkout", status_cause: null },
      runner: { config: { agent_fn: "checkout#agent", keepCase: 1 } },
      tool: { version: "1.2.3", resolved: { imageDigest: "sha256:x" } },
      source: { is_dirty: true, origin_url: unknown, lockfile: { name: "package-lock.json" } },
      models: { set_by: { option: "config_overrides.model", origin: "flag" } },
      sandbox: { image_digest: ["sha256:x"], limits: { memoryMb: 64 } },
      metrics: [{ templates: { leftTemplate: "t" } }],
      time: { attempts_ms: 12.5, phases_ms: { runAgent: 12 } },
      usage: { prompt_tokens: 10, completion_tokens: unknown, cost_usd: 0.5 },
      invocations: [
        {
          started_at: "2026-01-02T03:04:05Z",
          duration_ms: 1000.5,
          environment: {
            host: { cpu_count: 2 },
            source: { submodules: [{ checked_out: unknown }] },
          },
          redactions: { exactValue: 2 },
        },
      ],
      labels: { Benchmark: "checkout" },
      parents: [{ run_id: "r0", bundle_digest: "sha256:x", digests: unknown }],
    });
  });

  it("is read back as what was written", () => {
    expect(fromWire(provenanceStatementSchema, statement(), { source: "test" }).predicate).toEqual(
      predicate,
    );
  });

  it.each(["version", "tool"] as const)("may not know the %s", (what) => {
    const tool = what === "tool" ? unknown : { version: unknown, resolved: {}, observed: {} };
    const written = buildStatement({
      subjects: [{ name: "a", sha256 }],
      predicate: { ...predicate, tool },
    });

    expect(written["predicate"]).toMatchObject({ tool });
  });

  it("refuses a fact that is neither a value nor a reason, and a digest that is none", () => {
    const noReason = { ...predicate, source: { ...predicate.source, commit: { unknown: "" } } };

    expect(() =>
      buildStatement({ subjects: [{ name: "a", sha256 }], predicate: noReason }),
    ).toThrow(/commit/);
    expect(() => buildStatement({ subjects: [{ name: "a", sha256: "xyz" }], predicate })).toThrow(
      /SHA-256/,
    );
    expect(() => buildStatement({ subjects: [], predicate })).toThrow(/subject/);
  });

  it("has a JSON Schema with the keys as they are stored", () => {
    const schema = wireJsonSchema(provenanceStatementSchema) as {
      properties: Record<string, { properties: object }>;
      required: string[];
    };

    expect(schema.required).toEqual(["_type", "subject", "predicateType", "predicate"]);
    expect(Object.keys(schema.properties)).toEqual(schema.required);
    expect(Object.keys(schema.properties["predicate"]?.properties ?? {})).toContain("code_files");
  });

  it("says of each section where it would stand in SLSA's split, and what it is", () => {
    const schema = wireJsonSchema(provenancePredicateSchema) as {
      properties: Record<string, { "x-slsa"?: string; description?: string }>;
    };
    const sections = Object.entries(schema.properties);

    for (const [name, { "x-slsa": slsa, description }] of sections) {
      expect(slsaParts, name).toContain(slsa);
      expect(description, name).toMatch(/\w/);
    }
    expect(new Set(sections.map(([, section]) => section["x-slsa"])).size).toBe(slsaParts.length);
  });
});
