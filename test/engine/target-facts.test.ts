import { expect, it } from "vitest";

import { eager, refusal, runTarget, storedDocument, storedRows } from "./run-kit.ts";

const wrong = (facts: unknown) => eager({ targetFacts: () => facts as never });

it.each<[string, unknown]>([
  ["nothing", undefined],
  ["a promise", Promise.resolve({})],
  ["no reason", { model: { unknown: 1 } }],
  ["an isolation of its own", { sandbox: { isolation: "vm" } }],
])("a runner that says %s of its options is refused before anything runs", async (_what, facts) => {
  const refused = await refusal(() => runTarget(wrong(facts)));

  expect(refused.code).toBe("ASSAY_TARGET_INVALID");
  expect(refused.message).toContain("targetFacts() of the target");
});

it("a runner whose targetFacts throws is refused, and the error names the member", async () => {
  const target = eager({
    targetFacts: () => {
      throw new RangeError("no facts today");
    },
  });

  const { message } = await refusal(() => runTarget(target));

  expect(message).toContain("targetFacts() of the target threw RangeError: no facts today");
});

it("of a runner that says nothing, nothing is made up", async () => {
  const { result } = await runTarget(eager());
  const unknown = { unknown: "the runner does not say" };

  expect(storedDocument(result.workDir, "provenance.json")).toMatchObject({
    predicate: {
      models: { requested: unknown, set_by: unknown },
      prompt: unknown,
      sandbox: { isolation: unknown, provider: unknown, image: unknown, network: unknown },
    },
  });
});

it("the content of an image is that which the attempts ran", async () => {
  const digests = ["sha256:b", "sha256:a", "sha256:b"];
  const base = eager();
  const target = eager({
    async *runTasks(plan, context) {
      let index = 0;
      for await (const trial of base.runTasks(plan, context)) {
        const imageDigest = digests[index] ?? null;
        index += 1;
        const attempt = {
          cause: "ended",
          fault: "none",
          startedAt: "2026-01-01T00:00:00Z",
        } as const;
        yield {
          ...trial,
          attempts: [{ ...attempt, durationMs: 1, imageDigest, cacheHit: index > 1 }],
        };
      }
    },
  });

  const { result } = await runTarget(target, { config: { trialsPerTask: 3 } });

  expect(storedDocument(result.workDir, "provenance.json")).toMatchObject({
    predicate: {
      sandbox: { image_digest: ["sha256:a", "sha256:b"] },
      cache: { attempts: { hits: 2, misses: 1 } },
      time: { attempts_ms: 3, phases_ms: { unknown: "no attempt told its phases" } },
    },
  });
});

it("how long an attempt took that nobody measured is unknown, not nothing", async () => {
  const { result } = await runTarget(eager());
  const [attempt] = storedRows(result.workDir, "attempts.jsonl");

  expect(attempt).toMatchObject({ duration_ms: null });
  expect(storedDocument(result.workDir, "provenance.json")).toMatchObject({
    predicate: { time: { attempts_ms: { unknown: "no attempt told how long it took" } } },
  });
});
