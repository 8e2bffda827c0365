import path from "node:path";

import type { ProbeContext, ToolFacts } from "../../contracts/runner.ts";
import type { Sandbox, SandboxImage, SandboxSpec } from "../../contracts/sandbox.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { sandboxLimits } from "../../schema/sandbox-limits.ts";
import { cutText } from "../../support/cut-text.ts";
import { parseVersion } from "../../support/versions.ts";
import { hostHome } from "../codex/home.ts";
import { secretsOfLogin } from "../codex/home-contents.ts";
import { dockerOf, imageFacts } from "../define/container/engine.ts";
import {
  type ContainerInputs,
  codexCommand,
  containerInvocation,
  environmentOf,
  inHomes,
  places,
} from "./invocation.ts";
import type { CodexDockerOptions } from "./options.ts";

/** A package is fetched and unpacked in this time. */
const versionTimeoutMs = 5 * 60_000;

/** Finds engine, image, login and package, and asks Codex for its version in a container like those of the trials. */
export async function probeCodexDocker(
  options: CodexDockerOptions,
  context: ProbeContext,
): Promise<ToolFacts> {
  const { files, secrets, signal } = context;
  const auth = await findAuth(options, context);
  // What is wrong with the settings is wrong in every trial.
  const inputs = { options, inherited: inheritedOf(options, context) };
  containerInvocation({ ...inputs, secrets });
  const docker = await dockerOf(options, context);
  const image = await docker.resolveImage(options.image, { signal });
  const { resolved, observed } = imageFacts(image, await docker.facts());
  const trialId = "probe";
  const sandbox = await docker.create(sandboxSpec({ options, image, auth, trialId }), { signal });
  try {
    return {
      version: await askVersion(sandbox, inputs, context),
      resolved,
      observed: { ...observed, auth_file: auth, inherited_env: { ...inputs.inherited } },
      ...(auth === null ? {} : { secrets: await secretsOfLogin(auth, files) }),
    };
  } finally {
    await sandbox.stop();
  }
}

export interface SandboxInputs {
  readonly options: CodexDockerOptions;
  readonly image: SandboxImage;
  readonly auth: string | null;
  readonly trialId: string;
}

/** Pure: the container of one trial. Codex is root in it, on purpose: agents install what they need. */
export function sandboxSpec({ options, image, auth, trialId }: SandboxInputs): SandboxSpec {
  return {
    image,
    trialId,
    workdir: places.workspace,
    user: "0",
    network: options.network,
    limits: sandboxLimits(options),
    mounts: auth === null ? [] : [{ source: auth, target: places.auth }],
    // Should Assay be killed, a paid agent does not go on for ever.
    lifetimeMs: (options.timeoutS + 600) * 1000,
  };
}

export function inheritedOf(
  { inheritEnv }: Pick<CodexDockerOptions, "inheritEnv">,
  { process }: Pick<ProbeContext, "process">,
): Readonly<Record<string, string>> {
  const host = process.baseEnv(inheritEnv);
  const found = inheritEnv.flatMap((name) => {
    const value = host[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found);
}

/** The login file by its real path; null when there is none to take. Throws for one that was named and is none. */
export async function findAuth(
  { authPath }: Pick<CodexDockerOptions, "authPath">,
  { process, files, baseDir }: Pick<ProbeContext, "process" | "files" | "baseDir">,
): Promise<string | null> {
  const { HOME = "/" } = process.baseEnv(["HOME"]);
  const home = hostHome({ codexHome: null }, { process, baseDir }) ?? path.join(HOME, ".codex");
  const file =
    authPath === null
      ? path.join(home, "auth.json")
      : path.resolve(baseDir, authPath.replace(/^~(?=\/|$)/, HOME));
  const real = (await files.stat(file)) === null ? null : await files.realPath(file);
  if (real !== null && (await files.stat(real))?.kind === "file") return real;
  if (real === null && authPath === null) return null;
  const what = real === null ? "is not there" : "is no file";
  throw new AssayError("ASSAY_TOOL_UNUSABLE", `the login file of Codex "${file}" ${what}`, {
    remedy:
      "Log in with `codex login`, give another file with auth_path, or declare an API key in `secrets`.",
  });
}

async function askVersion(
  sandbox: Sandbox,
  inputs: Omit<ContainerInputs, "secrets">,
  { signal }: Pick<ProbeContext, "signal">,
): Promise<string> {
  const { options } = inputs;
  const answer = await sandbox.exec({
    argv: inHomes([...codexCommand(options), "--version"]),
    env: environmentOf(inputs),
    timeoutMs: versionTimeoutMs,
    signal,
  });
  if (answer.ending === "cancelled")
    throw new AssayError("ASSAY_CANCELLED", "cancelled while Codex was being looked at");
  const isGood = answer.ending === "exited" && answer.exitCode === 0;
  const version = isGood ? parseVersion(answer.stdout.text) : null;
  if (version !== null) return version;
  const command = codexCommand(options).join(" ");
  const said = cutText(answer.stderr.text.trim() || answer.stdout.text.trim(), 1000);
  throw new AssayError(
    "ASSAY_TOOL_UNUSABLE",
    `"${command} --version" gave no version in the image "${options.image}" (${answer.ending}): ${said}`,
    {
      remedy:
        "Check the options image and codex_package; npx needs a network unless the package is in the image.",
    },
  );
}
