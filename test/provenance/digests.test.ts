import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Metric } from "../../packages/assay/src/contracts/metric.ts";
import { codeDigestOf } from "../../packages/assay/src/provenance/code-digest.ts";
import {
  metricDigest,
  planDigest,
  resolvedDigest,
  settingsDigest,
  taskDigest,
} from "../../packages/assay/src/provenance/digests.ts";
import { canonicalJson } from "../../packages/assay/src/support/canonical-json.ts";
import type { JsonObject } from "../../packages/assay/src/support/json.ts";

const json = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 4,
}) as fc.Arbitrary<JsonObject>;

const backwards = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(backwards);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, backwards(item)]),
  );
};

describe("a digest", () => {
  it("is equal exactly when the canonical content is equal", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(taskDigest(a) === taskDigest(b)).toBe(canonicalJson(a) === canonicalJson(b));
      }),
    );
  });

  it("does not depend on the order of keys", () => {
    fc.assert(
      fc.property(json, (content) => {
        expect(taskDigest(backwards(content) as JsonObject)).toBe(taskDigest(content));
      }),
    );
  });

  it("changes with every single change of a value", () => {
    fc.assert(
      fc.property(json, fc.string(), fc.jsonValue(), (content, key, value) => {
        const changed = { ...content, [key]: value } as JsonObject;

        expect(taskDigest(changed) === taskDigest(content)).toBe(
          canonicalJson(changed) === canonicalJson(content),
        );
      }),
    );
  });

  it("names its algorithm, its version and what it is of", () => {
    expect(taskDigest({})).toBe(
      "assay-task-v1:sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
    );
    expect(settingsDigest({ name: "n", kind: "runner", shaping: {} })).toMatch(
      /^assay-settings-v1:sha256:[0-9a-f]{64}$/,
    );
  });

  it("is there for numbers that JSON does not have and for broken characters, each its own", () => {
    const texts = ["\ud800", "\udc00", "a\ud800", "\ufffd", '\uFFFFjson:"\\ud800"', "\uFFFFjson:x"];
    const contents = [
      ...texts.map((text) => ({ text })),
      { [texts[0] ?? ""]: 1 },
      { n: Number.NaN },
      { n: Number.POSITIVE_INFINITY },
      { n: null },
    ];

    expect(new Set(contents.map((content) => taskDigest(content as JsonObject))).size).toBe(
      contents.length,
    );
  });

  it.each<[string, () => string, () => string]>([
    [
      "settings, name",
      () => settingsDigest({ name: "a", kind: "runner", shaping: {} }),
      () => settingsDigest({ name: "b", kind: "runner", shaping: {} }),
    ],
    [
      "settings, kind",
      () => settingsDigest({ name: "a", kind: "runner", shaping: {} }),
      () => settingsDigest({ name: "a", kind: "model", shaping: {} }),
    ],
    [
      "settings, options",
      () => settingsDigest({ name: "a", kind: "runner", shaping: { x: 1 } }),
      () => settingsDigest({ name: "a", kind: "runner", shaping: { x: "1" } }),
    ],
    [
      "resolved, settings",
      () => resolvedDigest(resolved),
      () => resolvedDigest({ ...resolved, settingsDigest: "t" }),
    ],
    [
      "resolved, tool version",
      () => resolvedDigest(resolved),
      () => resolvedDigest({ ...resolved, toolVersion: "2" }),
    ],
    [
      "resolved, no tool version",
      () => resolvedDigest(resolved),
      () => resolvedDigest({ ...resolved, toolVersion: null }),
    ],
    [
      "resolved, what was found",
      () => resolvedDigest(resolved),
      () => resolvedDigest({ ...resolved, resolved: { image: "x" } }),
    ],
    [
      "resolved, code",
      () => resolvedDigest(resolved),
      () => resolvedDigest({ ...resolved, codeDigest: "c" }),
    ],
    [
      "resolved, content of the tasks",
      () => resolvedDigest(resolved),
      () => resolvedDigest({ ...resolved, contentDigest: "c" }),
    ],
    ["plan, settings", () => planDigest(plan), () => planDigest({ ...plan, settingsDigest: "t" })],
    [
      "plan, order of tasks",
      () => planDigest(plan),
      () => planDigest({ ...plan, tasks: [...plan.tasks].reverse() }),
    ],
    [
      "plan, a task's content",
      () => planDigest(plan),
      () =>
        planDigest({
          ...plan,
          tasks: [
            { id: "a", digest: "9" },
            { id: "b", digest: "2" },
          ],
        }),
    ],
    [
      "plan, trials per task",
      () => planDigest(plan),
      () => planDigest({ ...plan, trialsPerTask: 4 }),
    ],
    ["plan, metrics", () => planDigest(plan), () => planDigest({ ...plan, metrics: [] })],
    [
      "metric, settings",
      () => metricDigest(metric),
      () => metricDigest({ ...metric, config: { x: 2 } }),
    ],
    [
      "metric, version",
      () => metricDigest(metric),
      () => metricDigest({ ...metric, version: "2" }),
    ],
    [
      "metric, value of the absent",
      () => metricDigest(metric),
      () => metricDigest({ ...metric, outputs: [{ ...output, absent: "unscored" }] }),
    ],
  ])("changes with %s", (_what, before, after) => {
    expect(after()).not.toBe(before());
  });

  it("of a plan does not depend on the order of its metrics", () => {
    expect(planDigest({ ...plan, metrics: [...plan.metrics].reverse() })).toBe(planDigest(plan));
  });

  it("of a task does not depend on the order of its metrics", () => {
    const [first, second] = [
      { type: "a", outputs: [{ name: "x" }, { name: "\uD800" }] },
      { type: "b", outputs: [] },
    ];

    expect(taskDigest({ id: "t", metrics: [second, first] })).toBe(
      taskDigest({ id: "t", metrics: [first, second] }),
    );
    expect(taskDigest({ id: "t", metrics: [first] })).not.toBe(
      taskDigest({ id: "t", metrics: [second] }),
    );
  });

  it("of a metric does not depend on its functions, time limit or words for people", () => {
    const other: Metric = {
      ...metric,
      timeoutMs: 5,
      retries: 2,
      outputs: [{ ...output, description: "other words" }],
    };

    expect(metricDigest(other)).toBe(metricDigest(metric));
  });
});

describe("the digest of code", () => {
  const bytes = (text: string) => Buffer.from(text);

  it("does not depend on the order of files, on repeats or on the slashes of the system", () => {
    const files = [
      { path: "a.ts", bytes: bytes("1") },
      { path: "lib/b.ts", bytes: bytes("2") },
    ];

    expect(codeDigestOf([...files].reverse())).toBe(codeDigestOf(files));
    expect(codeDigestOf([...files, { path: "lib\\b.ts", bytes: bytes("2") }])).toBe(
      codeDigestOf(files),
    );
  });

  it("changes with a name and with a byte", () => {
    const digests = [
      codeDigestOf([]),
      codeDigestOf([{ path: "a.ts", bytes: bytes("1") }]),
      codeDigestOf([{ path: "a.ts", bytes: bytes("2") }]),
      codeDigestOf([{ path: "b.ts", bytes: bytes("1") }]),
      codeDigestOf([{ path: "__proto__", bytes: bytes("1") }]),
    ];

    expect(new Set(digests).size).toBe(digests.length);
  });

  it("refuses one path with two contents", () => {
    const files = [
      { path: "a.ts", bytes: bytes("1") },
      { path: "a.ts", bytes: bytes("2") },
    ];

    expect(() => codeDigestOf(files)).toThrow(expect.objectContaining({ code: "ASSAY_INVARIANT" }));
  });
});

const resolved = {
  settingsDigest: "s",
  toolVersion: "1",
  resolved: {},
  codeDigest: null,
  contentDigest: null,
};
const plan = {
  settingsDigest: "s",
  tasks: [
    { id: "a", digest: "1" },
    { id: "b", digest: "2" },
  ],
  trialsPerTask: 3,
  metrics: [
    { type: "x", digest: "1" },
    { type: "y", digest: "2" },
  ],
};
const output = { name: "score", kind: "continuous", description: null, absent: 0 } as const;
const metric: Metric = {
  type: "m",
  version: "1",
  config: { x: 1 },
  outputs: [output],
  needs: ["text"],
  compute: async () => ({ outputs: { score: 1 } }),
};
