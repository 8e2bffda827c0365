import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { fakeCodex, givenTo, makeFolder, only, probeOnly, runCodex, runFake } from "./run-codex.ts";

describe("before the first trial of codex_cli", () => {
  const fake = { codexBin: fakeCodex };

  it("the version and the content of the program are found", async () => {
    const facts = await probeOnly({ options: fake });

    expect(facts).toEqual({
      version: "0.171.0",
      resolved: { program_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      observed: { program: fakeCodex, codex_home: null, inherited_env: {} },
    });
  });

  it("the program is found on PATH, and the same one is run", async () => {
    const folder = makeFolder();
    symlinkSync(fakeCodex, join(folder, "codex"));
    const env = { PATH: `${folder}:${process.env["PATH"]}` };
    const run = await runCodex({ env, options: { env: { FAKE_CODEX: "good" } } });

    expect(run.tool.observed?.["program"]).toBe(join(folder, "codex"));
    expect(only(run).status).toBe("completed");
  });

  it("what the host lends is told, since it is not recorded in the settings", async () => {
    const env = { PATH: process.env["PATH"], BASE_URL: "http://127.0.0.1:1/v1" };
    const options = {
      ...fake,
      inheritEnv: ["BASE_URL", "NOT_SET"],
      configOverrides: { base_url: "${BASE_URL}" },
    };
    const facts = await probeOnly({ env, options });

    expect(facts?.observed?.["inherited_env"]).toEqual({
      BASE_URL: "http://127.0.0.1:1/v1",
      NOT_SET: null,
    });
  });

  it.each([
    [
      "is not on PATH",
      { codexBin: "no-such-codex" },
      "ASSAY_TOOL_NOT_FOUND",
      "'no-such-codex' was not found on PATH",
    ],
    [
      "is not at its path",
      { codexBin: "./no/codex" },
      "ASSAY_TOOL_NOT_FOUND",
      "does not exist or cannot be run",
    ],
    [
      "is too old",
      { env: { FAKE_CODEX_VERSION: "codex-cli 0.100.0" } },
      "ASSAY_TOOL_VERSION_TOO_OLD",
      "Codex CLI 0.100.0",
    ],
    [
      "is a pre-release of the oldest",
      { env: { FAKE_CODEX_VERSION: "codex-cli 0.123.0-alpha.1" } },
      "ASSAY_TOOL_VERSION_TOO_OLD",
      "0.123.0-alpha.1",
    ],
    [
      "tells no version",
      { env: { FAKE_CODEX_VERSION: "hello" } },
      "ASSAY_TOOL_UNUSABLE",
      "did not give a version: hello",
    ],
    [
      "does not start",
      { env: { FAKE_CODEX_VERSION_EXIT: "7" } },
      "ASSAY_TOOL_UNUSABLE",
      "did not give a version",
    ],
    [
      "has no sandbox here",
      { env: { FAKE_CODEX_SANDBOX_ERROR: "bwrap: no namespaces" } },
      "ASSAY_TOOL_UNUSABLE",
      "bwrap: no namespaces",
    ],
  ])("a program that %s is refused", async (_case, options, code, message) => {
    const probe = probeOnly({ options: { ...fake, ...options } });

    await expect(probe).rejects.toMatchObject({
      code,
      fault: "environment",
      message: expect.stringContaining(message),
      remedy: expect.stringMatching(/\w/),
    });
  });

  it.each(["codex-cli 0.123.0", "codex-cli 0.171.1", "codex 0.200.0-alpha.3", "codex-cli 1.0.0\n"])(
    "the version %j is accepted",
    async (text) => {
      const facts = await probeOnly({ options: { ...fake, env: { FAKE_CODEX_VERSION: text } } });

      expect(facts?.version).toBe(/\d\S+/.exec(text)?.[0]);
    },
  );

  it.each([
    [
      "the sandbox is off",
      { sandbox: "danger-full-access", env: { FAKE_CODEX_SANDBOX_ERROR: "bwrap: no" } },
    ],
    [
      "this version cannot be asked",
      { env: { FAKE_CODEX_SANDBOX_ERROR: "usage", FAKE_CODEX_SANDBOX_EXIT: "2" } },
    ],
  ] as const)("a sandbox that does not work is no obstacle where %s", async (_case, options) => {
    await expect(probeOnly({ options: { ...fake, ...options } })).resolves.toBeDefined();
  });

  it.each(["workspace-write", "danger-full-access"] as const)(
    "settings that Codex does not take are refused, in the sandbox %s",
    async (sandbox) => {
      const env = {
        FAKE_CODEX_CONFIG_ERROR: "Error: no such provider\n\nStack backtrace:\n  0: x",
      };

      await expect(probeOnly({ options: { ...fake, sandbox, env } })).rejects.toMatchObject({
        code: "ASSAY_CONFIG_INVALID",
        message: "Codex does not take its settings: Error: no such provider",
      });
    },
  );

  it("a variable that a setting needs and nobody set is found out", async () => {
    const options = { ...fake, configOverrides: { base_url: "${NOBODY_SET_THIS}" } };

    await expect(probeOnly({ options })).rejects.toMatchObject({ code: "ASSAY_CONFIG_INVALID" });
  });

  describe("with a home that is given", () => {
    it("is refused in the temporary directory, links to it and folders yet to be made included", async () => {
      const link = join(makeFolder(), "link");
      symlinkSync("/tmp", link);

      for (const codexHome of ["/tmp/codex-home", "/tmp", join(link, "a/b")]) {
        await expect(probeOnly({ options: { ...fake, codexHome } })).rejects.toMatchObject({
          code: "ASSAY_TOOL_UNUSABLE",
          message: expect.stringContaining('lies in the temporary directory "/tmp"'),
        });
      }
    });

    it("is refused below TMPDIR, and when it comes from the environment", async () => {
      const folder = makeFolder();
      const env = { PATH: process.env["PATH"], TMPDIR: folder, CODEX_HOME: join(folder, "home") };

      await expect(probeOnly({ options: fake, env })).rejects.toMatchObject({
        code: "ASSAY_TOOL_UNUSABLE",
        message: expect.stringContaining(`CODEX_HOME "${join(folder, "home")}"`),
      });
    });

    it("is not needed: private homes are refused in the temporary directory too", async () => {
      const env = { PATH: process.env["PATH"], TMPDIR: makeFolder() };
      const scratch = join(env.TMPDIR, "scratch");
      mkdirSync(scratch);

      await expect(probeOnly({ options: fake, env, scratch })).rejects.toMatchObject({
        code: "ASSAY_TOOL_UNUSABLE",
        remedy: expect.stringContaining("XDG_CACHE_HOME"),
      });
    });

    it("is refused when it does not exist or is a file", async () => {
      const folder = makeFolder();
      writeFileSync(join(folder, "file"), "");

      for (const [name, problem] of [
        ["none", "is not there"],
        ["file", "is no directory"],
      ] as const) {
        const codexHome = join(folder, name);
        await expect(probeOnly({ options: { ...fake, codexHome } })).rejects.toMatchObject({
          code: "ASSAY_TOOL_UNUSABLE",
          message: `CODEX_HOME "${codexHome}" ${problem}`,
        });
      }
    });

    it("is what Codex gets, from the option before the environment, with ~ as the user's home", async () => {
      const home = makeFolder();
      mkdirSync(join(home, "mine"));
      mkdirSync(join(home, "other"));
      const env = { PATH: process.env["PATH"], HOME: home, CODEX_HOME: join(home, "other") };
      const byOption = only(await runFake("good", { env, options: { codexHome: "~/mine" } }));
      const byEnv = only(await runFake("good", { env }));

      expect(givenTo(byOption).env["CODEX_HOME"]).toBe(join(home, "mine"));
      expect(givenTo(byEnv).env["CODEX_HOME"]).toBe(join(home, "other"));
    });

    it("has its instructions, rules and skills digested, and not what Codex keeps there", async () => {
      const home = makeFolder();
      const probe = async () =>
        (await probeOnly({ options: { ...fake, codexHome: home } }))?.resolved["codex_home_sha256"];
      const write = (file: string, text: string) => {
        mkdirSync(join(home, file, ".."), { recursive: true });
        writeFileSync(join(home, file), text);
      };
      const empty = await probe();
      write("config.toml", "model = 'x'");
      write("skills/.system/a/SKILL.md", "x");
      write("installation_id", "x");
      expect(await probe()).toBe(empty);
      expect(empty).toBeUndefined();

      const seen = new Set();
      for (const file of [
        "AGENTS.md",
        "AGENTS.override.md",
        "rules/a.rules",
        "skills/b/SKILL.md",
      ]) {
        write(file, "one");
        seen.add(await probe());
        write(file, "two");
        seen.add(await probe());
      }
      expect(seen.size).toBe(8);
    });

    it("has the credentials of its login told, so that they can be removed", async () => {
      const home = makeFolder();
      const login = {
        auth_mode: "chatgpt",
        OPENAI_API_KEY: null,
        tokens: { id_token: "id-0123456789", access_token: "ac-0123456789", account_id: "acc" },
        last_refresh: "2026-01-01",
      };
      writeFileSync(join(home, "auth.json"), JSON.stringify(login));
      const facts = await probeOnly({ options: { ...fake, codexHome: home } });

      expect(facts?.secrets).toEqual({
        "auth.json.tokens.id_token": "id-0123456789",
        "auth.json.tokens.access_token": "ac-0123456789",
      });
      expect(JSON.stringify([facts?.resolved, facts?.observed])).not.toContain("0123456789");
    });
  });
});
