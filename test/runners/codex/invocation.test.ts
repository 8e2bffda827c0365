import { describe, expect, it } from "vitest";

import {
  codexInvocation,
  type InvocationInputs,
} from "../../../packages/assay/src/runners/codex/invocation.ts";
import {
  type CodexOptions,
  checkCodexOptions,
  codexOptions,
} from "../../../packages/assay/src/runners/codex/options.ts";
import { parseFields } from "../../../packages/assay/src/schema/codec.ts";
import { schemasOf } from "../../../packages/assay/src/support/options.ts";

const defaults = parseFields(schemasOf(codexOptions), {}, { source: "test" }) as CodexOptions;

function invoke(
  options: Partial<CodexOptions> = {},
  rest: Partial<Omit<InvocationInputs, "options">> = {},
) {
  return codexInvocation({
    program: "/usr/bin/codex",
    options: { ...defaults, ...options },
    places: { directory: "/s/a", workspace: "/s/a/workspace", home: "/s/a/codex-home" },
    baseEnv: { PATH: "/usr/bin", LANG: "C.UTF-8" },
    secrets: {},
    ...rest,
  });
}

/** The value of a setting on the command line. */
function setting(argv: readonly string[], key: string): string | undefined {
  const found = argv.find((argument) => argument.startsWith(`${key}=`));
  return found?.slice(key.length + 1);
}

describe("the command line of Codex", () => {
  it("is this one with default options", () => {
    expect(invoke().argv).toEqual([
      "/usr/bin/codex",
      "exec",
      "--skip-git-repo-check",
      "--ephemeral",
      "--ignore-user-config",
      "--sandbox",
      "workspace-write",
      "--cd",
      "/s/a/workspace",
      "--output-last-message",
      "/s/a/final_output.txt",
      "--json",
      "-c",
      "sandbox_workspace_write.exclude_slash_tmp=true",
      "-c",
      "sandbox_workspace_write.exclude_tmpdir_env_var=false",
      "-c",
      "sandbox_workspace_write.network_access=false",
      "-c",
      "shell_environment_policy.ignore_default_excludes=false",
      "-c",
      'shell_environment_policy.include_only=["PATH","HOME","LANG","LC_ALL","TZ","TMPDIR","ASSAY_RUN_MARK","ASSAY_PROCESS_MARK"]',
      "-c",
      "features.shell_snapshot=false",
      "-c",
      "features.unbounded_connection_retries=false",
      "-c",
      "features.plugins=false",
      "-c",
      "analytics.enabled=false",
      "-c",
      "project_root_markers=[]",
      "-",
    ]);
  });

  it("names the model before the settings and ends in the dash that stands for stdin", () => {
    const { argv } = invoke({ model: "gpt-5" });

    expect(argv.slice(11, 15)).toEqual(["--json", "--model", "gpt-5", "-c"]);
    expect(argv.at(-1)).toBe("-");
  });

  it.each(["read-only", "danger-full-access"] as const)(
    "has no settings of workspace-write in the sandbox %s",
    (sandbox) => {
      const { argv } = invoke({ sandbox, networkAccess: true });

      expect(argv[argv.indexOf("--sandbox") + 1]).toBe(sandbox);
      expect(argv.join(" ")).not.toContain("sandbox_workspace_write");
    },
  );

  it("opens the network when asked to", () => {
    const { argv } = invoke({ networkAccess: true });

    expect(setting(argv, "sandbox_workspace_write.network_access")).toBe("true");
  });

  it("takes the user's settings in the place of its own, adds new ones, and leaves out what is null", () => {
    const { argv } = invoke({
      configOverrides: {
        "features.plugins": true,
        "analytics.enabled": null,
        model_provider: "mock",
        "model_providers.mock": { name: "mock", request_max_retries: 0 },
      },
    });

    expect(argv.filter((argument) => argument.startsWith("features.plugins="))).toEqual([
      "features.plugins=true",
    ]);
    expect(setting(argv, "analytics.enabled")).toBeUndefined();
    expect(setting(argv, "model_provider")).toBe('"mock"');
    expect(setting(argv, "model_providers.mock")).toBe('{name="mock",request_max_retries=0}');
  });

  it("lets the shell see added and inherited variables by name", () => {
    const { argv } = invoke({ env: { COLOR: "0" }, inheritEnv: ["HTTPS_PROXY", "PATH"] });

    expect(setting(argv, "shell_environment_policy.include_only")).toBe(
      '["PATH","HOME","LANG","LC_ALL","TZ","TMPDIR","ASSAY_RUN_MARK","ASSAY_PROCESS_MARK","COLOR","HTTPS_PROXY"]',
    );
  });

  it("fills variables into texts of settings, however deep", () => {
    const { argv } = invoke(
      {
        env: { PORT: "80" },
        configOverrides: { a: { b: ["http://$" + "{HOST}:$" + "{PORT}/v1", 1, true] } },
      },
      { baseEnv: { HOST: "localhost" } },
    );

    expect(setting(argv, "a")).toBe('{b=["http://localhost:80/v1",1,true]}');
  });

  it("refuses a variable that is not there, and says where it can be set", () => {
    const call = () => invoke({ configOverrides: { base_url: "${BASE_URL}" } });

    expect(call).toThrow(/config_overrides\["base_url"\] names BASE_URL/);
    expect(call).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining("inherit_env") }),
    );
  });

  it("refuses a secret by name", () => {
    const call = () =>
      invoke(
        { configOverrides: { "http_headers.auth": "Bearer ${API_KEY}" } },
        { secrets: { API_KEY: "sk-0123456789" } },
      );

    expect(call).toThrow(/names the credential API_KEY/);
  });

  it.each([
    ["a setting", { configOverrides: { token: 'x-se"cret-0123' } }],
    ["the model's name", { model: 'x-se"cret-0123' }],
    [
      "a variable's value",
      { env: { URL: 'http://u:x-se"cret-0123@h' }, configOverrides: { url: "${URL}" } },
    ],
  ])("refuses the value of a secret in %s", (_case, options) => {
    const call = () => invoke(options, { secrets: { API_KEY: 'x-se"cret-0123' } });

    expect(call).toThrow(/the value of the secret API_KEY/);
    expect(call).not.toThrow(/x-se/);
  });
});

describe("the environment of Codex", () => {
  it("is the allowed part of the host's, private folders, the user's own, and secrets", () => {
    const { env } = invoke({ env: { COLOR: "0" } }, { secrets: { API_KEY: "sk-0123456789" } });

    expect(env).toEqual({
      PATH: "/usr/bin",
      LANG: "C.UTF-8",
      HOME: "/s/a/home",
      TMPDIR: "/s/a/tmp",
      CODEX_HOME: "/s/a/codex-home",
      COLOR: "0",
      API_KEY: "sk-0123456789",
    });
  });

  it("takes the private folders in the place of the host's", () => {
    const { env } = invoke({}, { baseEnv: { HOME: "/root", TMPDIR: "/tmp", CODEX_HOME: "/c" } });

    expect(env).toEqual({ HOME: "/s/a/home", TMPDIR: "/s/a/tmp", CODEX_HOME: "/s/a/codex-home" });
  });
});

describe("the options of Codex", () => {
  const options = defaults;

  it.each(["a=b", "", "a..b", ".a", "a b", 'a."b.c"'])(
    "refuse the key %j, which Codex would read as something else",
    (key) => {
      expect(() => checkCodexOptions({ ...options, configOverrides: { [key]: 1 } })).toThrow(
        "no dotted key",
      );
    },
  );

  it.each([
    ["a variable without a name", { "": "x" }, "no variable name"],
    ["a variable with an equals sign", { "A=B": "x" }, "no variable name"],
    ["Codex's home among the variables", { CODEX_HOME: "/tmp" }, "cannot be set here"],
  ])("refuse %s", (_case, env, message) => {
    expect(() => checkCodexOptions({ ...options, env })).toThrow(message);
  });

  it("accept what is written in the documentation", () => {
    const given = {
      "model_providers.my-provider_1": { name: "x" },
      model_provider: "my-provider_1",
    };
    expect(() =>
      checkCodexOptions({ ...options, configOverrides: given, env: { NO_COLOR: "1" } }),
    ).not.toThrow();
  });
});
