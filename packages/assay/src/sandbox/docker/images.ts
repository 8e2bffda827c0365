import path from "node:path";

import { z } from "zod";

import type { FileStore } from "../../contracts/files.ts";
import type {
  BuiltImage,
  ImageBuild,
  SandboxCallOptions,
  SandboxImage,
} from "../../contracts/sandbox.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { digestOf, sha256HexOf } from "../../support/digest.ts";
import { parseJson } from "../../support/json.ts";
import { complaintOf, type DockerClient, failure, isEngineGone, isGood } from "./client.ts";

const pullTimeoutMs = 30 * 60_000;
const shownLines = 40;

const imageSchema = z.object({
  Id: z.string(),
  RepoDigests: z.array(z.string()).nullish(),
});
/** Podman gives a list of one. */
const inspectedSchema = z.union([
  imageSchema,
  z.tuple([imageSchema]).transform(([image]) => image),
]);

export async function resolveImage(
  client: DockerClient,
  reference: string,
  { signal }: SandboxCallOptions = {},
): Promise<SandboxImage> {
  if (!/^[A-Za-z0-9][\w.:/@-]*$/.test(reference)) {
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      `${JSON.stringify(reference)} is no name of an image`,
    );
  }
  const here = await inspectImage(client, reference);
  if (here !== null) return here;
  const pulled = await client.run(["pull", "--quiet", reference], {
    timeoutMs: pullTimeoutMs,
    ...(signal === undefined ? {} : { signal }),
  });
  if (pulled.ending === "cancelled")
    throw failure(`the image "${reference}" was being fetched`, pulled);
  const fetched = isGood(pulled) ? await inspectImage(client, reference) : null;
  if (fetched !== null) return fetched;
  throw new AssayError(
    "ASSAY_IMAGE_NOT_FOUND",
    `the image "${reference}" is not here and cannot be fetched: ${complaintOf(pulled)}`,
    { data: { reference } },
  );
}

async function inspectImage(client: DockerClient, reference: string): Promise<SandboxImage | null> {
  const result = await client.run(["image", "inspect", "--format", "{{json .}}", reference]);
  if (!isGood(result)) {
    const said = complaintOf(result);
    const isAbsent = !isEngineGone(said) && result.ending === "exited";
    if (isAbsent) return null;
    throw failure(`the image "${reference}" cannot be looked at`, result);
  }
  const { Id, RepoDigests } = inspectedSchema.parse(
    parseJson(result.stdout.text, "docker inspect"),
  );
  return {
    reference,
    // Podman leaves the algorithm out.
    digest: Id.includes(":") ? Id : `sha256:${Id}`,
    registryDigest: registryDigestOf(reference, RepoDigests ?? []),
  };
}

/** Of the repository that was asked for, as an image may be known under several names. */
function registryDigestOf(reference: string, repoDigests: readonly string[]): string | null {
  const repository = reference.replace(/@.*$/, "").replace(/:[^/:]*$/, "");
  const found = repoDigests.find((digest) => {
    const name = digest.split("@")[0] ?? "";
    // Podman has digests of images that no registry gave, too.
    if (name.startsWith("localhost/")) return false;
    return name === repository || name.endsWith(`/${repository}`);
  });
  return found?.split("@")[1] ?? null;
}

/** Finds the image of this very content, or builds it. */
export async function buildImage(
  client: DockerClient,
  build: ImageBuild,
  options: SandboxCallOptions = {},
): Promise<BuiltImage> {
  const contextDigest = await digestContext(client.access.files, build);
  const reference = `assay-build:${contextDigest.slice(-64).slice(0, 32)}`;
  const cached = await inspectImage(client, reference);
  if (cached !== null) return { ...cached, contextDigest, isCached: true };
  await runBuild(client, { build, reference, contextDigest }, options);
  const built = await inspectImage(client, reference);
  if (built !== null) return { ...built, contextDigest, isCached: false };
  throw new AssayError("ASSAY_SANDBOX_FAILED", `the image "${reference}" was built and is gone`);
}

interface PlannedBuild {
  readonly build: ImageBuild;
  readonly reference: string;
  readonly contextDigest: string;
}

async function runBuild(
  client: DockerClient,
  { build, reference, contextDigest }: PlannedBuild,
  { signal }: SandboxCallOptions,
): Promise<void> {
  const { context, buildArgs = {}, timeoutMs = pullTimeoutMs } = build;
  const lastLines: string[] = [];
  const keepLine = (line: string) => {
    lastLines.push(line);
    if (lastLines.length > shownLines) lastLines.shift();
  };
  const sink = { keepBytes: 0, onLine: keepLine };
  const result = await client.run(
    [
      "build",
      "--force-rm",
      ...["--tag", reference],
      ...["--label", `dev.assay.context=${contextDigest}`],
      ...["--file", dockerfileOf(build)],
      ...Object.entries(buildArgs).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]),
      context,
    ],
    { stdout: sink, stderr: sink, timeoutMs, ...(signal === undefined ? {} : { signal }) },
  );
  if (isGood(result)) return;
  if (result.ending === "cancelled") throw failure("an image was being built", result);
  const text = lastLines.join("\n");
  const lateText = result.ending === "timed_out" ? ` within ${timeoutMs / 1000} s` : "";
  throw new AssayError(
    "ASSAY_IMAGE_BUILD_FAILED",
    `the image of "${context}" could not be built${lateText}; its output ended so:\n${text}`,
    { data: { context, exitCode: result.exitCode } },
  );
}

function dockerfileOf({ context, dockerfile = "Dockerfile" }: ImageBuild): string {
  const file = path.resolve(context, dockerfile);
  const relative = path.relative(context, file);
  if (!path.isAbsolute(dockerfile) && !relative.startsWith("..")) return file;
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    `the Dockerfile "${dockerfile}" must lie in the folder of the build`,
  );
}

/** Over all that a build can see, whether a `.dockerignore` leaves it out or not. */
async function digestContext(files: FileStore, build: ImageBuild): Promise<string> {
  const { context, dockerfile = "Dockerfile", buildArgs = {} } = build;
  const entries: unknown[] = [];
  for await (const entry of files.walk(context)) {
    const { path: name, kind, isExecutable } = entry;
    if (kind === "link") entries.push([name, kind, await entry.linkTarget()]);
    else if (kind !== "file") entries.push([name, kind]);
    else {
      const file = await entry.open();
      try {
        entries.push([name, kind, isExecutable, await sha256HexOf(file.readChunks())]);
      } finally {
        await file.close();
      }
    }
  }
  return digestOf("image", { dockerfile, buildArgs, entries });
}
