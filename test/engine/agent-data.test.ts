import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { callable } from "assay/runners";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { JsonObject } from "../../packages/assay/src/support/json.ts";
import { bench, constant, metric, rowsOf, runTarget, task } from "./run-kit.ts";

const secret = "Quokka-Wombat-42";
const env = { AGENT_LOGIN: secret };
const secrets = ["AGENT_LOGIN"];

/** A run whose agent gives these data everywhere, and what its metric saw. */
async function seenOf(data: JsonObject, config = {}) {
  const seen: JsonObject[] = [];
  const run = await runTarget(
    callable({
      name: "agent",
      agent: () => ({
        output: { outputText: JSON.stringify(data), response: data, metadata: { output: data } },
        metadata: { trial: data },
      }),
    }),
    {
      env,
      config: { secrets, ...config },
      tasks: [task("t0", { reference: { task: data } })],
      metrics: [
        metric("look", ({ candidate, row }) => {
          seen.push({
            text: candidate.outputText,
            response: candidate.response,
            ...candidate.metadata,
            ...row.reference,
          });
          return { outputs: { score: 1 } };
        }),
      ],
    },
  );
  const [look] = seen;
  const [trial] = run.rows.trials;
  return { ...run, look, trial };
}

describe("what an agent gave", () => {
  it.each<[string, JsonObject]>([
    ["counts of secrets", { secrets_leaked: 0, password_strength: 7 }],
    ["words about credentials", { csrf_token_found: "yes", cookie: "accepted" }],
    ["names that hold such a word", { bearer_of_news: "Ann", credential_type: "none" }],
    ["anything below such a name", { password: { old: "a", new: ["b", 3, true, null] } }],
    ["headers", { headers: { Authorization: "Bearer x", "x-session": "1" } }],
    ["a pair of name and value", { env: [{ name: "API_KEY", value: "x" }] }],
    ["addresses", { url: "https://user:pw@host/x?sig=abc&key=5" }],
    ["assignments", { said: "run with password=abc", arguments: ["--api-key", "zz"] }],
    ["a piece of a secret", { begin: "Quokka-Wombat", end: "Wombat-42" }],
    ["numbers that no secret spells", { token: 12_345_678, secret: -0.5 }],
  ])("reaches metrics and the bundle as it was: %s", async (_what, data) => {
    const { look, trial, rows, result } = await seenOf(data);

    const text = JSON.stringify(data);
    expect(look).toMatchObject({ text, response: data, output: data, trial: data, task: data });
    expect(trial).toMatchObject({
      output: { outputText: text, response: data, metadata: { output: data } },
      metadata: { trial: data },
    });
    expect(rows.scores[0]?.diagnostics).toEqual([]);
    expect(result.summary.trialCount).toBe(1);
  });

  it("reaches metrics as it is stored, whatever it is", async () => {
    const data = fc.dictionary(
      fc.constantFrom("password", "token", "headers", "note", secret),
      fc.oneof(
        fc.constantFrom(secret, `a ${secret} b`, "yes", 5, null),
        fc.dictionary(fc.constantFrom("api_key", secret), fc.constantFrom(secret, "x")),
      ),
      { noNullPrototype: true },
    );
    const property = fc.asyncProperty(data, async (given) => {
      const { look, trial } = await seenOf(given as JsonObject);

      expect(look).toMatchObject({
        text: trial?.output?.outputText,
        response: trial?.output?.response,
        ...trial?.output?.metadata,
      });
      expect(JSON.stringify(look)).not.toContain(secret);
    });
    await fc.assert(property, { numRuns: 15 });
  });

  it("lacks exact secrets, and each score tells how many the metric did not see", async () => {
    const { rows } = await seenOf({ secret, found: `it is ${secret}, really ${secret}` });

    expect(rows.scores[0]?.diagnostics).toEqual([
      {
        severity: "warning",
        message:
          "the metric saw <redacted> instead of a secret: 12 times in the trial and its evidence, 3 times in the task",
        source: null,
        details: { redactions: { trial: 12, task: 3 } },
      },
    ]);
  });

  it("is told of in the same way when files are what lacks it, and when it is scored again", async () => {
    const here = bench({ env });
    const target = callable({
      name: "agent",
      agent: (_task: unknown, { workspace }) => {
        writeFileSync(join(workspace, "login.txt"), `${secret} ${secret}`);
        return "yes";
      },
    });
    const tasks = [task("t0")];
    const config = { workDir: here.workDir, secrets };
    const first = await here.evaluator.run({ tasks, metrics: [constant()], target, config });
    const scores = async (result: typeof first) => (await rowsOf(result)).scores;
    const expected = [{ severity: "warning", details: { redactions: { trial: 2, task: 0 } } }];

    expect((await scores(first))[0]?.diagnostics).toMatchObject(expected);

    const { resolveSuite } = await import("../../packages/assay/src/engine/suite/resolve-suite.ts");
    const { metricFromConfig } = await import("assay/metrics");
    const { nodeFileStore } = await import(
      "../../packages/assay/src/platform/files/node-file-store.ts"
    );
    const suite = await resolveSuite(
      { name: "suite", tasks, metrics: [constant()] },
      { baseName: "suite", baseDir: here.root, files: nodeFileStore, metricFromConfig },
    );
    const again = await here.evaluator.rescore(here.workDir, suite, {
      workDir: join(here.root, "again"),
    });

    expect((await scores(again))[0]?.diagnostics).toMatchObject(expected);
  });
});

describe("labels of a run", () => {
  it("are kept whatever their names are, without exact secrets", async () => {
    const { result } = await seenOf(
      {},
      { labels: { "secret-santa": "v1", token: "t", login: secret } },
    );

    expect(result.metadata.labels).toEqual({
      "secret-santa": "v1",
      token: "t",
      login: "<redacted>",
    });
  });
});
