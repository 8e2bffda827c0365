import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { assay, folder } from "../../cli/e2e/assay-process.ts";
import { fakeTarget, gymTasks, runGym } from "./run-gym.ts";

const withinMs = 30_000;

describe("a trial that Gym could not produce", () => {
  it(
    "carries what Gym's servers said last, and one that came does not",
    async () => {
      const tasks = gymTasks({}, { failure: "broke" }, { neverRan: true });

      const { trials, thrown } = await runGym({ tasks });

      expect(thrown).toBe(null);
      const [came, ...failed] = trials.map(
        ({ evidence }) => evidence?.descriptors["server_log"]?.ref ?? null,
      );
      expect([came, failed.length]).toStrictEqual([null, 2]);
      for (const log of failed)
        expect(readFileSync(String(log), "utf8")).toContain("All 3 / 3 servers ready!");
    },
    withinMs,
  );

  it(
    "carries no secret of theirs into the bundle, and no more than the end",
    async () => {
      const secret = "quiet-otter-41-and-more";
      const scene = { chatter: 2000, secret: "MY_KEY" };
      const rows = [{}, { failure: "broke" }].map((fake, index) =>
        JSON.stringify({ responses_create_params: { input: `q${index}` }, fake }),
      );
      const root = folder({
        "data.jsonl": rows.join("\n"),
        "suite.yaml": `
tasks: { jsonl: data.jsonl, format: gym }
metrics: [{ type: gym_reward }]
secrets: [MY_KEY]
${fakeTarget(scene)}`,
      });

      const ended = await assay(["run", "suite.yaml", "--out", "out"], {
        cwd: root,
        env: { MY_KEY: secret },
      });

      expect([ended.exitCode, ended.stderr]).toStrictEqual([4, expect.anything()]);
      const evidence = join(root, "out/evidence");
      const logs = readdirSync(evidence, { recursive: true, encoding: "utf8" }).filter((file) =>
        file.endsWith("server_log.log"),
      );
      expect(logs).toHaveLength(1);
      const lines = readFileSync(join(evidence, String(logs[0])), "utf8")
        .trim()
        .split("\n");
      expect(lines[198]).toBe("policy_api_key is <redacted>");
      expect(lines.some((line) => line.includes(secret))).toBe(false);
      expect(lines).toHaveLength(200);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(600);
    },
    withinMs,
  );
});
