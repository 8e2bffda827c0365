import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

import { descriptor, evidence, importKit } from "./import-kit.ts";

const settings = '{"agent": {"env": {"API_KEY": "plainword"}}, "password": "plainword"}\n';

/** A trial as Harbor leaves it: what ran it is settings, what it made is its own. */
it("takes credentials out of the settings that a runner keeps by their names, and leaves what an agent made", async () => {
  const kit = importKit();
  const trial = join(kit.scratch, "trial");
  const write = (name: string, text: string) => {
    const file = join(trial, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  for (const name of ["config.json", "lock.json", "artifacts/config.json"]) write(name, settings);
  write("agent/trajectory.json", '{"config": {"password": "plainword"}}');
  write("agent/config.toml", '[mcp.env]\nTOKEN = "plainword"\n');
  write("agent/settings.yaml", "headers:\n  X-Api-Key: plainword\n");
  const result = write(
    "result.json",
    `{"config": ${settings.trim()}, "rewards": {"password_found": 1.0}}`,
  );
  write("binary.json", "\u0000");

  const stored = await kit.import(
    evidence({
      trial_dir: descriptor({ ref: trial, format: "dir" }),
      result: descriptor({ kind: "json", format: "json", ref: result }),
      final_state: descriptor({
        ref: join(trial, "artifacts"),
        format: "dir",
        metadata: { role: "final_state" },
      }),
    }),
  );

  const clean = settings.replaceAll("plainword", "<redacted>");
  const of = (name: string) => stored.text("trial_dir", name);
  expect(of("config.json")).toBe(clean);
  expect(of("lock.json")).toBe(clean);
  expect(of("result.json")).toBe(`{"config": ${clean.trim()}, "rewards": {"password_found": 1.0}}`);
  expect(of("agent/config.toml")).toBe('[mcp.env]\nTOKEN = "<redacted>"\n');
  expect(of("agent/settings.yaml")).toBe('headers:\n  X-Api-Key: "<redacted>"\n');
  expect(of("artifacts/config.json")).toBe(settings);
  expect(of("agent/trajectory.json")).toContain("plainword");
  expect(stored.row("trial_dir/config.json").redactions).toBe(2);
  expect(stored.disagreements()).toEqual([]);
});
