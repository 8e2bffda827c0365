import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
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
    timeout: 20_000,
  }).trim();

const canary = () => join(folder, "was-run");

const plantedProgram = (ending = "cat") => {
  const program = join(folder, "planted.sh");
  writeFileSync(program, `#!/bin/sh\ntouch ${canary()}\n${ending}\n`);
  chmodSync(program, 0o700);
  return program;
};

/** Everything by which a repository can have git start a program when somebody looks at its state. */
const plantPrograms = () => {
  const program = plantedProgram();
  for (const hook of ["post-index-change", "fsmonitor-watchman", "pre-commit"])
    copyFileSync(program, join(repository, ".git/hooks", hook));
  const settings = {
    "core.fsmonitor": program,
    "core.pager": program,
    "core.sshCommand": program,
    "credential.helper": `!${program}`,
    "diff.external": program,
    "diff.planted.command": program,
    "diff.planted.textconv": program,
    "filter.planted.clean": program,
    "filter.planted.smudge": program,
    "filter.planted.required": "true",
    "filter.Long.Name.process": program,
    "status.submoduleSummary": "true",
  };
  for (const [key, value] of Object.entries(settings)) git("config", key, value);
  mkdirSync(join(repository, ".git/info"), { recursive: true });
  writeFileSync(
    join(repository, ".git/info/attributes"),
    "tracked.txt filter=planted diff=planted\n.gitignore filter=Long.Name\n",
  );
  utimesSync(join(repository, ".gitignore"), 1, 1);
};

const commitAll = () => {
  writeFileSync(join(repository, "tracked.txt"), "1");
  writeFileSync(join(repository, ".gitignore"), "");
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

  it("hold one digest of what differs, whatever git's settings are, and none when nothing does", async () => {
    commitAll();
    expect((await facts()).diffDigest).toBeNull();
    const seen = new Set<unknown>();
    const changed = async (text: string) => {
      writeFileSync(join(repository, "tracked.txt"), text);
      const { diffDigest } = await facts();
      expect(diffDigest).toMatch(/^assay-diff-v1:sha256:[0-9a-f]{64}$/);
      return diffDigest;
    };

    const two = await changed("2");
    seen.add(two).add(await changed("3"));
    git("config", "diff.noprefix", "true");
    git("config", "diff.renames", "copies");
    git("config", "core.quotePath", "false");
    seen.add(await changed("2"));
    rmSync(join(repository, "tracked.txt"));
    seen.add((await facts()).diffDigest);

    expect(seen.size).toBe(3);
  });

  it("tell changed files of any name apart, staged ones too", async () => {
    const names = ["a b", "\u00e4", 'q"uote', "tab\tname", "-dash"];
    for (const name of names) writeFileSync(join(repository, name), "1");
    commitAll();
    const digests = new Set<unknown>();
    for (const name of names) {
      writeFileSync(join(repository, name), "2");
      git("add", "--", name);
      digests.add((await facts()).diffDigest);
    }

    expect(digests.size).toBe(names.length);
    expect([...digests].every((digest) => typeof digest === "string")).toBe(true);
  });

  it("read no changed file through a link that was put into its folder's place", async () => {
    mkdirSync(join(repository, "inner"));
    writeFileSync(join(repository, "inner/file"), "1");
    commitAll();
    writeFileSync(join(folder, "file"), "outside");
    rmSync(join(repository, "inner"), { recursive: true });
    symlinkSync(folder, join(repository, "inner"));
    symlinkSync("/etc/hostname", join(repository, "link"));
    git("add", "link");

    // Git itself takes the file behind a linked folder for gone.
    expect(await facts()).toMatchObject({ isDirty: true, diffDigest: expect.any(String) });
  });

  it("say that too much differs, and do not read it", async () => {
    for (let index = 0; index < 2100; index += 1)
      writeFileSync(join(repository, `file-${index}`), "1");
    commitAll();
    for (let index = 0; index < 2100; index += 1) rmSync(join(repository, `file-${index}`));

    expect(await facts()).toMatchObject({
      isDirty: true,
      diffDigest: { unknown: "too many files differ to be digested" },
    });
  });

  it("say that too many bytes differ, and do not read them", async () => {
    commitAll();
    truncateSync(join(repository, "tracked.txt"), 300 * 1024 * 1024);

    expect(await facts()).toMatchObject({
      isDirty: true,
      diffDigest: { unknown: "too many bytes differ to be digested" },
    });
  });

  it("are those of a shallow clone, of a worktree, and of a detached HEAD", async () => {
    commitAll();
    writeFileSync(join(repository, "tracked.txt"), "2");
    git("commit", "-aqm", "second");
    const [first, commit] = [git("rev-parse", "HEAD~1"), git("rev-parse", "HEAD")];
    const main = repository;
    git("worktree", "add", "--quiet", "--detach", join(folder, "worktree"), first);
    git("clone", "--quiet", "--depth=1", `file://${main}`, join(folder, "shallow"));

    repository = join(folder, "worktree");
    mkdirSync(join(repository, "evals"));
    expect(await facts()).toMatchObject({ commit: first, isDirty: false });
    expect(await facts({ PATH: folder })).toMatchObject({ commit: first });

    repository = join(folder, "shallow");
    mkdirSync(join(repository, "evals"));
    expect(await facts()).toMatchObject({ commit, isDirty: false, originUrl: `file://${main}` });
  });

  it("hold each submodule: the commit that is asked for, and the one that is there", async () => {
    commitAll();
    const library = repository;
    const commit = git("rev-parse", "HEAD");
    repository = join(folder, "outer");
    mkdirSync(join(repository, "evals"), { recursive: true });
    git("init", "--quiet");
    const add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library];
    git(...add, "lib");
    git(...add, "other one");
    commitAll();
    git("submodule", "--quiet", "deinit", "-f", "other one");
    expect((await facts()).isDirty).toBe(false);
    execFileSync(
      "git",
      ["-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", "x", "--allow-empty"],
      {
        cwd: join(repository, "lib"),
        env: hostEnv(),
      },
    );

    const { submodules, isDirty } = await facts();

    const [lib, other] = submodules as { checkedOut: unknown }[];
    expect(lib).toMatchObject({
      path: "lib",
      commit,
      checkedOut: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect(lib?.checkedOut).not.toBe(commit);
    expect(other).toMatchObject({
      path: "other one",
      commit,
      checkedOut: { unknown: "it is not checked out" },
    });
    expect(isDirty).toBe(true);
  });

  it("hold the commit of a bare repository, and say that it has no files", async () => {
    commitAll();
    const commit = git("rev-parse", "HEAD");
    git("clone", "--quiet", "--bare", repository, join(folder, "bare.git"));
    repository = join(folder, "bare.git");
    mkdirSync(join(repository, "evals"));
    const unknown = { unknown: "the repository is bare: it has no files of its own" };

    expect(await facts()).toMatchObject({ commit, isDirty: unknown, submodules: unknown });
  });

  it("hold the commit where git is absent or refuses, read from the repository's files", async () => {
    commitAll();
    const commit = git("rev-parse", "HEAD");
    const absent = { unknown: "git is not installed" };
    const withoutGit = () => facts({ PATH: folder });
    expect(await withoutGit()).toMatchObject({ commit, isDirty: absent, submodules: absent });
    git("pack-refs", "--all");
    expect(await withoutGit()).toMatchObject({ commit });
    git("checkout", "--quiet", "--detach");
    expect(await withoutGit()).toMatchObject({ commit });
    writeFileSync(join(repository, ".git/HEAD"), "ref: refs/heads/../../../secret\n");
    expect((await withoutGit()).commit).toEqual(absent);
    writeFileSync(join(repository, ".git/HEAD"), "ref: refs/heads/none\n");
    expect((await withoutGit()).commit).toEqual({ unknown: "the repository has no commit yet" });
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

  it("start nothing that the repository's configuration, hooks and attributes name", async () => {
    commitAll();
    plantPrograms();
    writeFileSync(join(repository, "tracked.txt"), "2");

    expect(await facts()).toMatchObject({ isDirty: true, diffDigest: expect.any(String) });
    expect(existsSync(canary())).toBe(false);
    // What was planted would have been started by a git that is asked as usual.
    git("status");
    expect(existsSync(canary())).toBe(true);
  });

  it("fetch nothing that a partial clone lacks", async () => {
    commitAll();
    const server = repository;
    git("config", "uploadpack.allowFilter", "true");
    repository = join(folder, "partial");
    execFileSync(
      "git",
      ["clone", "-q", "--no-checkout", "--filter=tree:0", `file://${server}`, repository],
      {
        env: hostEnv(),
        stdio: "ignore",
      },
    );
    git("config", "remote.origin.uploadpack", plantedProgram("exit 1"));
    rmSync(join(server, ".git"), { recursive: true });

    mkdirSync(join(repository, "evals"));

    const { commit, isDirty } = await facts();

    expect(commit).toBe(git("rev-parse", "HEAD"));
    expect(isDirty).toEqual({ unknown: expect.stringContaining("git ended with exit code") });
    expect(existsSync(canary())).toBe(false);
    expect(() => git("status")).toThrow();
    expect(existsSync(canary())).toBe(true);
  });

  it("leave the repository as it was", async () => {
    commitAll();
    writeFileSync(join(repository, "tracked.txt"), "2");
    const index = readFileSync(join(repository, ".git/index"));
    utimesSync(join(repository, ".gitignore"), 1, 1);

    await facts();

    expect(readFileSync(join(repository, ".git/index"))).toEqual(index);
  });

  it("say that a repository's filters cannot be switched off when their name is none to be written", async () => {
    commitAll();
    appendFileSync(join(repository, ".git/config"), '[filter "a=b"]\n\tclean = false\n');

    const { isDirty, diffDigest, commit } = await facts();

    const unknown = { unknown: "the repository has filters that cannot be switched off" };
    expect([isDirty, diffDigest]).toEqual([unknown, unknown]);
    expect(commit).toBe(git("rev-parse", "HEAD"));
  });

  it.each([
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "bun.lockb",
  ])("hold the digest of the nearest lockfile: %s", async (name) => {
    expect((await facts()).lockfile).toEqual({
      unknown: "there is no lockfile at or above the suite",
    });
    writeFileSync(join(folder, "package-lock.json"), "farther away");
    writeFileSync(join(repository, name), "{}");

    expect((await facts()).lockfile).toEqual({ name, sha256: sha256Hex("{}") });
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
