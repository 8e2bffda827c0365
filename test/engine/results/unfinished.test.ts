import { spawnSync } from "node:child_process";
import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readBundle } from "assay";
import { describe, expect, it } from "vitest";

import {
  filesOf,
  firstTask,
  manifest,
  openDoor,
  plan,
  task,
  trial,
} from "../../bundle/door-kit.ts";
import { bench, refusal, storedDocument } from "../run-kit.ts";

/** A run directory in the middle of its run, which this process writes. */
async function begun() {
  const kit = await openDoor();
  await kit.door.begin({ manifest, plan, tasks: [task] });
  await kit.door.appendTrial(await kit.door.admit(trial(), firstTask));
  await kit.door.closeJournal();
  return { ...kit, ...filesOf(kit.dir) };
}

type Begun = Awaited<ReturnType<typeof begun>>;

/** Another process holds the claim. */
const claimedBy = (change: (own: Begun) => object) => (run: Begun) => {
  const claim = { ...storedDocument(run.dir, "claim.json"), ...change(run) };
  writeFileSync(join(run.dir, "claim.json"), JSON.stringify(claim));
};

const deadPid = () => spawnSync("true").pid;

const cases = [
  {
    whose: "this living process",
    prepare: () => {},
    says: /process \d+ on ".*" writes it$/,
    remedy: "Wait for its end.",
  },
  {
    whose: "a dead process of this machine",
    prepare: claimedBy(() => ({ pid: deadPid() })),
    says: /process \d+ on ".*", which wrote it, is dead$/,
    remedy: "--resume`.",
  },
  {
    whose: "a process before the last start of this machine",
    prepare: claimedBy(() => ({ boot_id: "another" })),
    says: /is dead$/,
    remedy: "--resume`.",
  },
  {
    whose: "a process of another machine",
    prepare: claimedBy(() => ({ hostname: "far\u001baway" })),
    says: /cannot be seen from here whether process \d+ on "far.away"/,
    remedy: "--take-over",
  },
  {
    whose: "nobody",
    prepare: ({ dir }: Begun) => rmSync(join(dir, "claim.json")),
    says: /no process writes it any more$/,
    remedy: "--resume`.",
  },
  {
    whose: "nobody that could be read",
    prepare: ({ dir }: Begun) => writeFileSync(join(dir, "claim.json"), "{"),
    says: /no process writes it any more$/,
    remedy: "--resume`.",
  },
];

describe("a run that has not ended", () => {
  it.each(cases)("held by $whose says so, and what to do", async ({ prepare, says, remedy }) => {
    const run = await begun();
    prepare(run);

    for (const read of [readBundle, (dir: string) => bench().evaluator.readBundle(dir)]) {
      const refused = await refusal(() => read(run.dir));

      expect(refused).toMatchObject({ code: "ASSAY_BUNDLE_UNFINISHED", exitCode: 4 });
      expect(refused.message).toMatch(says);
      expect(refused.error.remedy).toContain(remedy);
    }
  });

  it("says when it last wrote, whichever file that was", async () => {
    const { dir } = await begun();
    const past = new Date("2026-08-01T10:00:00Z");
    for (const name of ["run.json", "plan.json", "tasks.jsonl", "evidence.jsonl", "attempts.jsonl"])
      utimesSync(join(dir, name), past, past);
    utimesSync(join(dir, "scores.jsonl"), past, past);
    const last = new Date("2026-08-01T12:34:56Z");
    utimesSync(join(dir, "trials.jsonl"), last, last);

    const refused = await refusal(() => readBundle(dir));

    expect(refused.message).toContain("unfinished, last write at 2026-08-01T12:34:56");
  });
});
