import { afterEach, expect, it, vi } from "vitest";
import { defineTool, isRequired, missingTool, requireTool } from "../support/tools.ts";

defineTool("always-here", () => null);
defineTool("never-here", () => "never-here is made up");

afterEach(() => {
  vi.unstubAllEnvs();
});

it("a tool that is here lets the test go on", () => {
  expect(missingTool("always-here")).toBeNull();

  expect(() => requireTool("always-here")).not.toThrow();
});

it("an absent tool that ASSAY_REQUIRE names fails the test and says why", () => {
  vi.stubEnv("ASSAY_REQUIRE", "docker, never-here");

  expect(() => requireTool("never-here")).toThrow(
    "never-here is made up, and ASSAY_REQUIRE names never-here",
  );
});

it("ASSAY_REQUIRE matches whole names only", () => {
  vi.stubEnv("ASSAY_REQUIRE", "never-here-2");

  expect(isRequired("never-here")).toBe(false);
});

it("an unknown tool name is an error, not a skip", () => {
  expect(() => missingTool("no-such-probe")).toThrow(
    'no probe is known for the tool "no-such-probe"',
  );
});
