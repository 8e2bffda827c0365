import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** What lies at a place of an image: a file of this machine, or a program by its text. */
export type ImageFile = { readonly file: string } | { readonly script: string };

export interface SharedImage {
  /** Its repository; the tag comes of what it is made of. */
  readonly name: string;
  readonly from: string;
  readonly files: Readonly<Record<string, ImageFile>>;
  readonly path?: string;
}

/** $1 the tag, $2 the image below, $3 the root of the files, $4 PATH. Half an image is never tagged. */
const make = `
docker image inspect "$1" >/dev/null 2>&1 && exit
made=$(docker create --entrypoint sh "$2") || exit
docker cp "$3/." "$made:/" && docker commit --pause=false --change "ENV PATH=$4" "$made" "$1"
status=$?
docker rm "$made" && exit "$status"`;

/**
 * An image that is made once for an engine, whichever test asks first; whoever asks meanwhile waits. Without a build: one
 * takes several times as long to take in programs of hundreds of megabytes.
 */
export function sharedImage({ name, from, files, path = "/usr/bin:/bin" }: SharedImage): string {
  const tag = `${name}:${digestOf([idOf(from), path, Object.entries(files).map(stampOf)])}`;
  if (idOf(tag) !== "") return tag;
  const root = mkdtempSync(join(tmpdir(), "assay-shared-image-"));
  try {
    for (const [inner, source] of Object.entries(files)) {
      const place = join(root, inner);
      mkdirSync(dirname(place), { recursive: true });
      if ("file" in source) copyFileSync(source.file, place);
      else writeFileSync(place, source.script, { mode: 0o755 });
    }
    const lock = join(tmpdir(), `assay-shared-image-${digestOf([tag, idOf(from)])}.lock`);
    const made = run("flock", lock, "sh", "-c", make, "sh", tag, from, root, path);
    if (made.status !== 0) throw new Error(`${tag} could not be made: ${made.stderr}`);
    return tag;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Large files are not read: when they were written tells them apart. */
function stampOf([inner, source]: [string, ImageFile]): unknown {
  if ("script" in source) return [inner, source.script];
  const { size, ctimeMs } = statSync(source.file);
  return [inner, source.file, size, ctimeMs];
}

/** Empty for an image that is not here. */
function idOf(image: string): string {
  return run("docker", "image", "inspect", "--format", "{{.Id}}", image).stdout.trim();
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);
}

function run(program: string, ...args: readonly string[]) {
  return spawnSync(program, args, { encoding: "utf8" });
}
