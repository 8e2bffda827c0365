import { describe, expect, it } from "vitest";
import { orStalled, stopControl } from "../../packages/assay/src/cli/stop-control.ts";
import { FakeIo } from "./fake-io.ts";

describe("signals", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 143],
    ["SIGQUIT", 143],
  ] as const)("%s before the run ends the process at once with %d", (signal, code) => {
    const io = new FakeIo();
    const stop = stopControl(io);

    io.send(signal);

    expect(io.exits).toEqual([code]);
    expect(stop.signal.aborted).toBe(false);
  });

  it("the first one during the run ends the run and says so, the second one ends the process", () => {
    const io = new FakeIo();
    const stop = stopControl(io);
    stop.runStarts({ workDir: "o", resume: "assay run s.ts", secrets: [], warn: () => {} });

    io.send("SIGTERM");

    expect(stop.signal.reason).toBe("SIGTERM");
    expect(io.exits).toEqual([]);
    expect(io.err).toContain("SIGTERM: ending the run; what is finished is kept.");

    io.send("SIGINT");

    expect(io.exits).toEqual([130]);
    expect(io.err).toContain("SIGINT: ended at once; what was finished is in o, and `assay clean`");
    expect(io.err).toMatch(/\ngo on with it by: assay run s.ts\n$/);
    expect(stop.signal.reason).toBe("SIGTERM");
  });

  it("are left alone after the command", () => {
    const io = new FakeIo();
    stopControl(io).release();

    expect(io.listenerCount).toBe(0);
  });
});

describe("a process with nothing left to wait for", () => {
  it("aborts the run with the reason", () => {
    const io = new FakeIo();
    const stop = stopControl(io);

    io.runDry();

    expect(stop.hasStalled).toBe(true);
    expect(stop.signal.reason).toMatch(/never settles/);
  });

  it("rejects what was waited for", async () => {
    const io = new FakeIo();
    const stop = stopControl(io);
    const waiting = orStalled(
      new Promise(() => {}),
      stop.signal,
      (reason) => new Error(`s.ts: ${reason}`),
    );

    io.runDry();

    await expect(waiting).rejects.toThrow("s.ts: nothing is left to wait for");
  });

  it("changes nothing when the work is done", async () => {
    const io = new FakeIo();
    const stop = stopControl(io);

    await expect(orStalled(Promise.resolve(3), stop.signal, Error)).resolves.toBe(3);
  });
});
