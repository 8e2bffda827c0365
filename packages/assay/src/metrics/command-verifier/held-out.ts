import { isAbsolute, join, posix, resolve } from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import type { MetricTask, PreflightContext } from "../../contracts/metric.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { canonicalJson } from "../../support/canonical-json.ts";
import { sha256Hex } from "../../support/digest.ts";
import { type JsonObject, setOwn } from "../../support/json.ts";
import type { CompiledTemplate } from "../../templates/compiled-template.ts";
import { taskContext } from "../../templates/metric-context.ts";
import { compileTemplate, renderString } from "../../templates/template.ts";
import type { CommandVerifierConfig } from "./config.ts";

/** One source of held-out files: bytes that are known, or a place that depends on the task. */
type Source =
  | { readonly kind: "bytes"; readonly target: string; readonly bytes: string | Uint8Array }
  | { readonly kind: "file"; readonly target: string; readonly place: Place }
  | { readonly kind: "directory"; readonly place: Place };

interface Place {
  readonly name: string;
  readonly template: CompiledTemplate;
}

export type HeldOut = readonly Source[];
export type HeldOutFiles = Readonly<Record<string, string | Uint8Array>>;

const maxBytes = 64 * 1024 * 1024;

/** Compiles the templates; reads nothing. */
export function heldOutSources({ files, directory }: CommandVerifierConfig): HeldOut {
  const place = (template: string, field: string): Place => {
    const name = `command-verifier.${field}`;
    return { name, template: compileTemplate(template, { name }) };
  };
  const sources: Source[] = [];
  if (directory !== undefined)
    sources.push({ kind: "directory", place: place(directory, "directory") });
  for (const [target, file] of Object.entries(files)) {
    if (typeof file === "string") sources.push({ kind: "bytes", target, bytes: file });
    else if (file.kind === "inline") sources.push({ kind: "bytes", target, bytes: bytesOf(file) });
    else sources.push({ kind: "file", target, place: place(file.path, `files.${target}`) });
  }
  return sources;
}

function bytesOf({
  content,
  encoding,
}: {
  readonly content: string;
  readonly encoding: "text" | "base64";
}) {
  return encoding === "text" ? content : Buffer.from(content, "base64");
}

/** Throws when a place that is the same for every task is not there. */
export async function checkHeldOut(
  sources: HeldOut,
  { baseDir, files }: PreflightContext,
): Promise<void> {
  for (const source of sources) {
    if (source.kind === "bytes" || !source.place.template.isConstant) continue;
    const path = resolve(baseDir, source.place.template.renderText({}));
    const facts = await files.stat(path);
    if (facts?.kind !== source.kind) throw notThere(source.place.name, source.kind, path);
  }
}

function notThere(name: string, kind: string, path: string): AssayError {
  return new AssayError("ASSAY_CONFIG_INVALID", `${name}: there is no ${kind} at ${path}`, {
    data: { path },
    remedy: "Give a path relative to the folder of the suite.",
  });
}

/** The digest of one task's held-out files; null when there are none, or a place depends on the trial. */
export async function heldOutOfTask(
  sources: HeldOut,
  task: MetricTask,
  context: PreflightContext,
): Promise<string | null> {
  if (sources.length === 0) return null;
  try {
    return heldOutDigest(await readHeldOut(sources, taskContext(task), context));
  } catch (thrown) {
    if (AssayError.isInstance(thrown) && thrown.code === "ASSAY_TEMPLATE_UNDEFINED") return null;
    throw thrown;
  }
}

/** The held-out files by their path in the workspace; `values` is what their templates see. */
export async function readHeldOut(
  sources: HeldOut,
  values: JsonObject,
  { baseDir, files }: PreflightContext,
): Promise<HeldOutFiles> {
  const found: Record<string, string | Uint8Array> = {};
  const budget = { left: maxBytes };
  for (const source of sources) {
    if (source.kind === "bytes") {
      setOwn(found, source.target, source.bytes);
      continue;
    }
    const path = locate(source.place, values, baseDir);
    if (source.kind === "file") {
      setOwn(found, source.target, await read(files, path, budget));
      continue;
    }
    for await (const file of filesBelow(files, path, source.place.name)) {
      setOwn(found, file, await read(files, join(path, file), budget));
    }
  }
  return found;
}

/** What a task writes into a template is data: it never leads out of the suite's folder. */
function locate({ name, template }: Place, values: JsonObject, baseDir: string): string {
  const path = renderString(template, values, name);
  if (template.isConstant) return resolve(baseDir, path);
  const normal = posix.normalize(path.replaceAll("\\", "/"));
  const leavesSuite = isAbsolute(path) || normal === ".." || normal.startsWith("../");
  if (!leavesSuite && !path.includes("\0")) return join(baseDir, normal);
  throw new AssayError(
    "ASSAY_PATH_ESCAPES",
    `${name}: ${JSON.stringify(path)} leads out of the suite's folder`,
    {
      data: { path },
    },
  );
}

async function* filesBelow(files: FileStore, root: string, name: string): AsyncGenerator<string> {
  if ((await files.stat(root))?.kind !== "directory") throw notThere(name, "directory", root);
  for await (const { path, kind } of files.walk(root)) {
    if (kind === "file") yield path;
    else if (kind !== "directory") {
      throw new AssayError(
        "ASSAY_CONFIG_INVALID",
        `${name}: ${join(root, path)} is a ${kind}, not a file`,
        {
          remedy: "Keep regular files only among the held-out files.",
        },
      );
    }
  }
}

async function read(files: FileStore, path: string, budget: { left: number }): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await files.readBytes(path, { maxBytes: budget.left });
  } catch (cause) {
    const problem = `held-out file ${path} cannot be read: ${messageOf(cause)}`;
    throw new AssayError("ASSAY_CONFIG_INVALID", problem, { cause, data: { path } });
  }
  budget.left -= bytes.length;
  return bytes;
}

/** Tells in each score by which held-out files it was made. */
export function heldOutDigest(found: HeldOutFiles): string {
  const digests = Object.entries(found).map(([path, data]) => [path, sha256Hex(data)] as const);
  return `sha256:${sha256Hex(canonicalJson(Object.fromEntries(digests)))}`;
}
