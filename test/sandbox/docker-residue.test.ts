import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

import { cleanContainers } from "../../packages/assay/src/engine/inspect/clean-containers.ts";
import { createNodePlatform } from "../../packages/assay/src/platform/node-platform.ts";
import { describeNeeds } from "../support/tools.ts";
import { baseImage, type DockerKit, dockerKit } from "./docker-kit.ts";

const program = fileURLToPath(new URL("./fixtures/make-sandboxes.mjs", import.meta.url));
/** Sandboxes that are interrupted, three runs of three kinds; more by ASSAY_DOCKER_INTERRUPTS. */
const perRun = Math.ceil(Number(process.env["ASSAY_DOCKER_INTERRUPTS"] ?? 12) / 6);
const withinMs = 60_000 + perRun * 20_000;

interface Run {
  readonly child: ChildProcess;
  readonly token: string;
  readonly ended: Promise<unknown>;
}

describeNeeds("docker", "sandboxes of a run that is interrupted", () => {
  let kit: DockerKit;
  beforeAll(() => {
    kit = dockerKit();
  });
  afterAll(() => kit.dispose());

  async function startRun(): Promise<Run> {
    const child = spawn(process.execPath, [program, baseImage, String(perRun), kit.directory], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    const began = once(child.stdout as NodeJS.ReadableStream, "data");
    const tooSoon = ended.then(() => Promise.reject(new Error("it ended before it began")));
    tooSoon.catch(() => {});
    const [line] = await Promise.race([began, tooSoon]);
    return { child, token: String(line).trim(), ended };
  }

  /** At a time between the first call of the engine and the first command. */
  async function afterAWhile(index: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 100 + ((index * 733) % 2500)));
  }

  async function interrupt(index: number, signals: readonly NodeJS.Signals[]): Promise<string> {
    const { child, token, ended } = await startRun();
    await afterAWhile(index);
    for (const [position, signal] of signals.entries()) {
      if (position > 0) await afterAWhile(index + 3);
      child.kill(signal);
    }
    await ended;
    return token;
  }

  it.concurrent("are gone when it ends in order", { timeout: withinMs }, async () => {
    const tokens = await Promise.all([0, 1].map((index) => interrupt(index, ["SIGINT"])));
    for (const token of tokens) expect(await kit.left(token)).toEqual([]);
  });

  it.concurrent("are gone soon after it was ended at once, in the middle of its end", {
    timeout: withinMs,
  }, async () => {
    const tokens = await Promise.all([2, 3].map((index) => interrupt(index, ["SIGINT", "SIGINT"])));
    for (const token of tokens) {
      const isGone = async () => expect(await kit.left(token)).toEqual([]);
      await vi.waitFor(isGone, { timeout: 15_000, interval: 300 });
    }
  });

  it("are gone when the next run begins after it was killed, and those of living runs are not", {
    timeout: withinMs,
  }, async () => {
    const image = await kit.provider.resolveImage(baseImage);
    const own = await kit.provider.create({ image, trialId: "own:0", isRootReadOnly: true });
    const tokens = await Promise.all([4, 5].map((index) => interrupt(index, ["SIGKILL"])));
    const isGone = async () => {
      // The engine may still have been making one.
      const next = kit.another({ token: "feedfeedfeedfeed" });
      await (await next.create({ image, trialId: "next:0" })).stop();
      for (const token of tokens) expect(await kit.left(token)).toEqual([]);
      await next.close();
    };
    await vi.waitFor(isGone, { timeout: 20_000, interval: 500 });
    expect(await kit.left()).toEqual([own.name, `${own.name}-workdir`]);
    expect(await own.state()).toBe("running");
    await own.stop();
    expect(await kit.left()).toEqual([]);
  });

  it("are removed by a clean-up, which shows before what it would remove", {
    timeout: withinMs,
  }, async () => {
    const platform = createNodePlatform({});
    const image = await kit.provider.resolveImage(baseImage);
    const own = await kit.provider.create({ image, trialId: "own:1" });
    const { child, token, ended } = await startRun();
    await vi.waitFor(async () => expect(await kit.left(token)).not.toEqual([]), withinMs);
    child.kill("SIGKILL");
    await ended;
    const dry = await cleanContainers(platform, { isDryRun: true });
    const namesIn = (things: readonly { readonly name: string }[]) =>
      things.map(({ name }) => name);
    expect(dry.removed.filter(({ runId }) => runId === "agent-eval-residue")).not.toEqual([]);
    expect(namesIn(dry.removed)).not.toContain(own.name);
    const isGone = async () => {
      const report = await cleanContainers(platform, { isDryRun: false });
      expect(namesIn(report.kept)).toContain(own.name);
      expect(await kit.left(token)).toEqual([]);
    };
    await vi.waitFor(isGone, { timeout: 20_000, interval: 500 });
    expect(await own.state()).toBe("running");
    await own.stop();
  });
});
