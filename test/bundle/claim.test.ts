import { cpSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { Claim, readHolder } from "../../packages/assay/src/bundle/claim.ts";
import type { Liveness, ProcessIdentity } from "../../packages/assay/src/contracts/owner.ts";
import { nodeFileStore } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { deferred, refusal } from "../engine/run-kit.ts";

const clock = {
  now: () => new Date("2026-08-01T10:00:00Z"),
  monotonicMs: () => 0,
  sleep: () => Promise.resolve(),
};

let dir = "";
/** What is known of the processes of the test, by pid. */
let states: Record<number, Liveness> = {};

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "assay-claim-")));
  states = {};
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
});

/** The claim as process `pid` would take it. */
function takeAs(
  pid: number,
  more: { readonly takesOver?: boolean; readonly files?: typeof nodeFileStore } = {},
) {
  const identity = { hostname: "here", bootId: "b", pidNamespace: "n", pid, startTicks: pid };
  const identities = {
    own: () => identity,
    livenessOf: (other: ProcessIdentity) => states[other.pid] ?? ("alive" as const),
  };
  const tools = { files: more.files ?? nodeFileStore, clock, identities };
  const request = { token: `token-of-process-${pid}-${dir}`, takesOver: more.takesOver ?? false };
  return Claim.take(dir, request, tools);
}

async function holderPid(): Promise<number | null> {
  const identities = { own: () => null as never, livenessOf: () => "alive" as const };
  return (await readHolder(dir, { files: nodeFileStore, identities }))?.record.pid ?? null;
}

function fails(_done: unknown): never {
  throw new Error("the disk is sick");
}

describe("the claim on a run directory", () => {
  it("is taken by one process and refused to a second one, which is told who holds it", async () => {
    await takeAs(1);

    const refused = await refusal(() => takeAs(2));

    expect(refused).toMatchObject({ code: "ASSAY_RUN_CLAIMED", exitCode: 2 });
    expect(refused.message).toContain('process 1 on "here"');
    expect(await holderPid()).toBe(1);
  });

  it("can be taken again once it is released, and leaves no file behind", async () => {
    const first = await takeAs(1);
    await first.release();
    expect(readdirSync(dir)).toEqual([]);

    const second = await takeAs(2);

    expect(second.previous).toBeNull();
    expect(await holderPid()).toBe(2);
  });

  it("of a dead process is taken over, which the new holder knows", async () => {
    await takeAs(1);
    states = { 1: "dead" };

    const claim = await takeAs(2);

    expect(claim.previous?.pid).toBe(1);
    expect(await holderPid()).toBe(2);
    expect(readdirSync(dir)).toEqual(["claim.json"]);
  });

  it("of a process elsewhere is taken over only when that is asked for", async () => {
    await takeAs(1);
    states = { 1: "elsewhere" };

    expect((await refusal(() => takeAs(2))).error.remedy).toContain("--take-over");
    await takeAs(2, { takesOver: true });

    expect(await holderPid()).toBe(2);
  });

  it("is not given back by one from whom it was taken over", async () => {
    const first = await takeAs(1);
    states = { 1: "elsewhere" };
    await takeAs(2, { takesOver: true });

    await first.release();

    expect(await holderPid()).toBe(2);
  });

  it("has one winner of many that find a dead claim at the same moment", async () => {
    for (let round = 0; round < 20; round += 1) {
      await takeAs(1);
      states = { 1: "dead" };

      const attempts = await Promise.allSettled([2, 3, 4, 5, 6, 7].map((pid) => takeAs(pid)));

      const winners = attempts.filter(({ status }) => status === "fulfilled");
      expect(winners).toHaveLength(1);
      expect(readdirSync(dir)).toEqual(["claim.json"]);
      rmSync(join(dir, "claim.json"));
    }
  });

  it("can be taken over from one that died while it took it over", async () => {
    await takeAs(1);
    states = { 1: "dead" };
    const won = deferred();
    const stops = {
      ...nodeFileStore,
      writeAtomic: () => {
        won.resolve();
        return deferred().promise;
      },
    };
    void takeAs(2, { files: stops });
    await won.promise;
    expect((await refusal(() => takeAs(3))).message).toContain("process 2");
    states = { 1: "dead", 2: "dead" };

    await takeAs(3);

    expect(await holderPid()).toBe(3);
    expect(readdirSync(dir)).toEqual(["claim.json"]);
  });

  it.each([
    ["given back", { remove: fails }],
    [
      "taken",
      {
        createAtomic: async (...args: [string, string]) =>
          fails(await nodeFileStore.createAtomic(...args)),
      },
    ],
  ])(
    "that a sick disk keeps after it was %s bars nobody once the disk is well",
    async (_when, sick) => {
      const files = { ...nodeFileStore, ...sick };
      await expect(takeAs(1, { files }).then((claim) => claim.release())).rejects.toThrow("sick");
      expect(await holderPid()).toBe(1);

      await takeAs(2);

      expect(await holderPid()).toBe(2);
      expect(readdirSync(dir)).toEqual(["claim.json"]);
    },
  );

  it("whose file is no claim is an error that names it", async () => {
    writeFileSync(join(dir, "claim.json"), "{}");

    expect((await refusal(() => takeAs(1))).error).toMatchObject({
      code: "ASSAY_RUN_CLAIMED",
      message: expect.stringContaining("claim.json"),
      remedy: expect.stringContaining("remove that file"),
    });
  });

  it("that leads back to itself is refused, and not followed for ever", async () => {
    await takeAs(1);
    states = { 1: "dead" };
    const token = `token-of-process-1-${dir}`.replace(/[^0-9a-zA-Z]/g, "");
    cpSync(join(dir, "claim.json"), join(dir, `claim-after-${token}.json`));

    expect((await refusal(() => takeAs(2))).message).toContain("leads back to itself");
  });
});
