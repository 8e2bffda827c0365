import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it, type TestContext, TestRunner } from "vitest";

/** Root of the checkout, absolute. */
export const repoRoot = resolve(fileURLToPath(new URL("../..", import.meta.url)));

/** Answers why a tool cannot be used here, or null when it can. Runs once per test process. */
export type ToolProbe = () => string | null;

const probes = new Map<string, ToolProbe>([
  ["codex", probeCodex],
  ["docker", probeDocker],
  ["harbor", probeHarbor],
  ["gym", probeGym],
  ["compose", probeCompose],
  ["openai-agents", probeAgents],
  ["python3", () => (onPath("python3") === null ? "no python3 is on PATH" : null)],
  ["fabric", probeFabric],
  ["chromium", () => (chromiumPath() === null ? "no Chromium is installed" : null)],
  ["shared", () => (existsSync(sharedRoot()) ? null : "../shared is not here")],
]);
const reasons = new Map<string, string | null>();

/** Makes a tool known by name, so that `itNeeds` and `ASSAY_REQUIRE` can name it. */
export function defineTool(name: string, probe: ToolProbe): void {
  probes.set(name, probe);
  reasons.delete(name);
}

/** Why the tool cannot be used here; null when it can. Unknown names throw. */
export function missingTool(name: string): string | null {
  const known = reasons.get(name);
  if (known !== undefined) return known;
  const probe = probes.get(name);
  if (probe === undefined) {
    throw new Error(`no probe is known for the tool "${name}": add one with defineTool`);
  }
  const reason = probe();
  reasons.set(name, reason);
  return reason;
}

/** True when `ASSAY_REQUIRE` (names parted by commas) asks for this tool. */
export function isRequired(name: string): boolean {
  const required = (process.env["ASSAY_REQUIRE"] ?? "").split(",").map((entry) => entry.trim());
  return required.includes(name);
}

/**
 * Called inside a test: skips it, with the reason, when a tool is absent; fails it when
 * `ASSAY_REQUIRE` names that tool. A probe given here serves names that have none yet.
 */
export function requireTool(name: string, probe?: ToolProbe): void {
  if (probe !== undefined && !probes.has(name)) defineTool(name, probe);
  const reason = missingTool(name);
  if (reason !== null) skipOrFail(name, reason);
}

type TestBody = (context: TestContext) => unknown;

/** A test that needs one or more tools. */
export function itNeeds(
  needs: string | readonly string[],
  name: string,
  body: TestBody,
  timeoutMs?: number,
): void {
  const names = typeof needs === "string" ? [needs] : needs;
  const run = async (context: TestContext): Promise<void> => {
    for (const tool of names) requireTool(tool);
    await body(context);
  };
  it(name, run, timeoutMs);
}

/** A group of tests that needs one or more tools; its hooks do not run when one is absent. */
export function describeNeeds(
  needs: string | readonly string[],
  name: string,
  body: () => void,
): void {
  const names = typeof needs === "string" ? [needs] : needs;
  const absent = names.find((tool) => missingTool(tool) !== null);
  if (absent === undefined) {
    describe(name, body);
    return;
  }
  describe(name, () => {
    it(`needs ${absent}`, () => requireTool(absent));
  });
}

/**
 * Absolute path of a recorded fixture that lies beside the checkout, in ../shared/fixtures.
 * Called inside a test: skips it when the folder or the file is not here.
 */
export function sharedFixtures(path = "."): string {
  requireTool("shared");
  const found = join(sharedRoot(), path);
  if (!existsSync(found)) skipOrFail("shared", `../shared/fixtures/${path} is not here`);
  return found;
}

/** The Codex command to test with: `ASSAY_CODEX`, the demo's own install, or the one on PATH. */
export function codexPath(): string | null {
  const local = join(repoRoot, "examples/coding-agent/node_modules/.bin/codex");
  for (const candidate of [process.env["ASSAY_CODEX"], local]) {
    if (candidate !== undefined && candidate !== "" && existsSync(candidate)) return candidate;
  }
  return onPath("codex");
}

/** Where scripts/peers.sh and scripts/npm-peers.mjs put what they make. */
const peers = process.env["ASSAY_PEERS"] ?? join(repoRoot, ".cache/peers");

/** The interpreter that has NeMo Fabric and its Codex adapter: `ASSAY_FABRIC_PYTHON`, or what scripts/peers.sh made. */
export function fabricPython(): string {
  return process.env["ASSAY_FABRIC_PYTHON"] ?? join(peers, "fabric/bin/python");
}

/** The command of NeMo Gym: `ASSAY_GYM`, or what scripts/peers.sh made. */
export function gymProgram(): string {
  return process.env["ASSAY_GYM"] ?? join(peers, "gym/bin/gym");
}

/** Harbor's command: `ASSAY_HARBOR`, or what scripts/peers.sh made. */
export function harborProgram(): string {
  return process.env["ASSAY_HARBOR"] ?? join(peers, "harbor/bin/harbor");
}

/** Where scripts/npm-peers.mjs puts the npm package @openai/agents. */
export const agentsPeer = join(peers, "openai-agents");

/** A Chromium that can be driven: `ASSAY_CHROMIUM` or one on PATH. */
export function chromiumPath(): string | null {
  const named = process.env["ASSAY_CHROMIUM"];
  if (named !== undefined && existsSync(named)) return named;
  return onPath("chromium") ?? onPath("chromium-browser") ?? onPath("google-chrome");
}

/** Absolute path of a command on PATH, or null. */
export function onPath(command: string): string | null {
  for (const folder of (process.env["PATH"] ?? "").split(":")) {
    if (folder !== "" && existsSync(join(folder, command))) return join(folder, command);
  }
  return null;
}

function sharedRoot(): string {
  return resolve(repoRoot, "../shared/fixtures");
}

function probeCodex(): string | null {
  return codexPath() === null
    ? "the Codex CLI is not installed: node examples/coding-agent/setup.mjs"
    : null;
}

function probeFabric(): string | null {
  return existsSync(fabricPython())
    ? null
    : "NeMo Fabric is not installed: scripts/peers.sh fabric";
}

function probeGym(): string | null {
  return existsSync(gymProgram()) ? null : "NeMo Gym is not installed: scripts/peers.sh gym";
}

function probeHarbor(): string | null {
  return existsSync(harborProgram()) ? null : "Harbor is not installed: scripts/peers.sh harbor";
}

/** The image that its tests start from is made beside the engine. */
function probeCompose(): string | null {
  const engine = missingTool("docker");
  if (engine !== null) return engine;
  const answers = (...args: readonly string[]) =>
    spawnSync("docker", args, { encoding: "utf8", timeout: 10_000 }).status === 0;
  if (!answers("compose", "version"))
    return "Compose v2 is not installed: scripts/with-docker.sh --compose";
  return answers("image", "inspect", "assay-test/base:1") ? null : "the base image is not made";
}

function probeAgents(): string | null {
  if (existsSync(join(agentsPeer, "assay-stamp"))) return null;
  return "@openai/agents is not installed: node scripts/npm-peers.mjs";
}

function probeDocker(): string | null {
  if (onPath("docker") === null) return "the docker client is not installed";
  const answer = spawnSync("docker", ["version", "--format", "{{.Server.Version}}"], {
    encoding: "utf8",
    timeout: 10_000,
  });
  return answer.status === 0 ? null : "no Docker engine answers";
}

function skipOrFail(tool: string, reason: string): never {
  if (isRequired(tool)) {
    throw new Error(`${reason}, and ASSAY_REQUIRE names ${tool}`);
  }
  const current = TestRunner.getCurrentTest();
  if (current === undefined) {
    throw new Error(`requireTool and sharedFixtures are for the inside of a test (${reason})`);
  }
  return current.context.skip(reason);
}
