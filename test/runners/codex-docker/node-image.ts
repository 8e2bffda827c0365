import { spawnSync } from "node:child_process";
import { readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { baseImage } from "../../sandbox/docker-kit.ts";
import { type ImageFile, sharedImage } from "../../sandbox/shared-image.ts";
import { codexPath } from "../../support/tools.ts";

const fakeCodex = fileURLToPath(
  new URL(
    "../../../packages/assay/src/runners/codex/fixtures/fake-tools/codex.mjs",
    import.meta.url,
  ),
);
const runFake = 'exec node /opt/fake-codex/codex.mjs "$@"';
const runPackage =
  '[ "$1" = -y ] || exit 9; package=$2; shift 2; exec node "$package/codex.mjs" "$@"';

/**
 * An image with this machine's Node and a stand-in for Codex, on PATH and as a package in /opt/fake-codex; its stand-in for
 * npx runs a package by its folder.
 */
export function nodeImage(): string {
  return sharedImage({
    name: "assay-test/node",
    from: baseImage,
    files: {
      "usr/bin/node": { file: process.execPath },
      ...Object.fromEntries(librariesOf(process.execPath).map((file) => [file, { file }])),
      "opt/fake-codex/codex.mjs": { file: fakeCodex },
      "usr/bin/codex": script(runFake),
      "usr/bin/npx": script(runPackage),
    },
  });
}

/** The same with a real Codex on PATH. */
export function codexImage(): string {
  const files = { "usr/bin/codex": { file: nativeCodex() } };
  return sharedImage({ name: "assay-test/codex", from: nodeImage(), files });
}

function script(text: string): ImageFile {
  return { script: `#!/bin/sh\n${text}\n` };
}

/** The program that the npm package starts: it is linked with nothing, so it runs in any image. */
function nativeCodex(): string {
  const scope = join(dirname(realpathSync(codexPath() ?? "")), "../..");
  const folder = readdirSync(scope).find((name) => /^codex-linux-/.test(name)) ?? "";
  const vendor = join(scope, folder, "vendor");
  return join(vendor, readdirSync(vendor)[0] ?? "", "bin/codex");
}

/** The libraries that a program is linked with, by their paths; none for a static one. */
function librariesOf(file: string): string[] {
  const { stdout } = spawnSync("ldd", [file], { encoding: "utf8" });
  return [...stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map((match) => match[1] ?? "");
}
