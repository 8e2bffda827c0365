import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";

import { systemClock } from "../../../packages/assay/src/platform/clock.ts";
import { nodeFileStore as files } from "../../../packages/assay/src/platform/files/node-file-store.ts";
import { createProcessCapability } from "../../../packages/assay/src/platform/process/process-capability.ts";
import { sourceFacts } from "../../../packages/assay/src/provenance/source/source-facts.ts";
import { sha256Hex } from "../../../packages/assay/src/support/digest.ts";
import { newToken } from "../../../packages/assay/src/support/ids.ts";
import { defineTool, describeNeeds, onPath } from "../../support/tools.ts";

defineTool("git", () => (onPath("git") === null ? "git is not installed" : null));

let folder: string;
let repository: string;

beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "assay-source-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  repository = join(folder, "repository");
  mkdirSync(join(repository, "evals"), { recursive: true });
});

const hostEnv = () => ({ PATH: process.env["PATH"] ?? "", HOME: folder });

const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@example.org", ...args], {
    cwd: repository,
    env: hostEnv(),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

const commitAll = () => {
  writeFileSync(join(repository, "tracked.txt"), "1");
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "-m", "first");
};

const facts = (env: Readonly<Record<string, string>> = hostEnv(), timeoutMs = 5000) =>
  sourceFacts({
    baseDir: join(repository, "evals"),
    timeoutMs,
    files,
    process: createProcessCapability({ token: newToken(), hostEnv: env, clock: systemClock }),
  });

describeNeeds("git", "the facts about the source", () => {
  it("hold the full commit, and that nothing differs from it", async () => {
    commitAll();

    expect(await facts()).toMatchObject({ commit: git("rev-parse", "HEAD"), isDirty: false });
  });

  it("say that a tracked file differs; files that git does not know make no difference", async () => {
    commitAll();
    writeFileSync(join(repository, "untracked.txt"), "x");
    expect((await facts()).isDirty).toBe(false);

    writeFileSync(join(repository, "tracked.txt"), "changed");

    expect((await facts()).isDirty).toBe(true);
  });

  it("hold the address of origin without credentials, or why there is none", async () => {
    commitAll();
    expect((await facts()).originUrl).toEqual({ unknown: "there is no remote called origin" });

    git("remote", "add", "origin", "https://user:tok-12345678@host.example/o/r.git");

    expect((await facts()).originUrl).toBe("https://host.example/o/r.git");
  });

  it("say why nothing is known outside of a repository", async () => {
    const unknown = { unknown: "the suite is in no git repository" };

    expect(await facts()).toMatchObject({ commit: unknown, isDirty: unknown, originUrl: unknown });
  });

  it("say that there is no commit yet", async () => {
    git("init", "--quiet");

    expect((await facts()).commit).toEqual({ unknown: "the repository has no commit yet" });
  });

  it("say that git is not there", async () => {
    expect((await facts({ PATH: folder })).commit).toEqual({ unknown: "git is not installed" });
  });

  it("start nothing that the repository's configuration names", async () => {
    commitAll();
    const program = join(folder, "planted.sh");
    writeFileSync(program, `#!/bin/sh\ntouch ${folder}/was-run\n`);
    chmodSync(program, 0o700);
    writeFileSync(
      join(repository, ".git/hooks/post-index-change"),
      `#!/bin/sh\ntouch ${folder}/was-run\n`,
    );
    chmodSync(join(repository, ".git/hooks/post-index-change"), 0o700);
    for (const key of ["core.fsmonitor", "diff.external", "core.pager"])
      git("config", key, program);
    rmSync(join(folder, "was-run"), { force: true });
    writeFileSync(join(repository, "tracked.txt"), "2");

    expect((await facts()).isDirty).toBe(true);
    expect(existsSync(join(folder, "was-run"))).toBe(false);
  });

  it("hold the digest of the nearest lockfile", async () => {
    expect((await facts()).lockfile).toEqual({
      unknown: "there is no lockfile at or above the suite",
    });
    writeFileSync(join(repository, "package-lock.json"), "{}");

    expect((await facts()).lockfile).toEqual({
      name: "package-lock.json",
      sha256: sha256Hex("{}"),
    });
  });
});

it("the facts about the source do not wait for a git that hangs", async () => {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), "#!/bin/sh\nsleep 300\n");
  chmodSync(join(bin, "git"), 0o700);

  const { commit } = await facts({ PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` }, 200);

  expect(commit).toEqual({ unknown: "git gave no answer in time" });
});
