import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { evidencePresence, metricFromConfig } from "assay/metrics";
import { describe, expect, it } from "vitest";

import { completed, places, runner, runTarget } from "../engine/run-kit.ts";

const losses: Readonly<Record<string, (workspace: string) => void>> = {
  "removes it": (workspace) => rmSync(workspace, { recursive: true }),
  "puts a file in its place": (workspace) => {
    rmSync(workspace, { recursive: true });
    writeFileSync(workspace, "");
  },
  "puts a link in its place": (workspace) => {
    renameSync(workspace, `${workspace}-hidden`);
    symlinkSync(`${workspace}-hidden`, workspace);
  },
};

describe("an agent that ends well and leaves no workspace", () => {
  it.each(Object.entries(losses))(
    "(it %s) is judged by the nothing that it left",
    async (_how, lose) => {
      const target = runner(async function* (plan, { scratch }) {
        for (const { taskId } of places(plan)) {
          const workspace = join(scratch, taskId, "workspace");
          mkdirSync(workspace, { recursive: true });
          writeFileSync(join(workspace, "answer"), "42");
          lose(workspace);
          const blank = { data: null, description: null, metadata: {}, format: "dir" };
          const descriptors = { final_state: { kind: "filesystem", ref: workspace, ...blank } };
          yield completed(taskId, 0, { evidence: { descriptors, metadata: {} } });
        }
      });
      const verifier = await metricFromConfig({
        type: "command-verifier",
        command: ["test", "-e", "answer"],
      });

      const { rows, result } = await runTarget(target, {
        metrics: [verifier, evidencePresence({})],
      });

      const values = rows.scores.map(({ status, outputs }) => [status, outputs[0]?.value]);
      expect(values.sort()).toEqual([
        ["completed", 0],
        ["completed", false],
      ]);
      expect(result.exitCode).toBe(0);
    },
  );
});
