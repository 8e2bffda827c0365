import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import type { SandboxProvider } from "../../../packages/assay/src/contracts/sandbox.ts";
import { baseImage } from "../../sandbox/docker-kit.ts";
import { codexPath } from "../../support/tools.ts";

const fakeCodex = fileURLToPath(
  new URL(
    "../../../packages/assay/src/runners/codex/fixtures/fake-tools/codex.mjs",
    import.meta.url,
  ),
);

/**
 * An image with this machine's Node and a stand-in for Codex, on PATH and as a package in /opt/fake-codex; its stand-in for
 * npx runs a package by its folder. `programs` are copied too, by their name below /usr/bin.
 */
export async function nodeImage(
  provider: SandboxProvider,
  folder: string,
  programs: Readonly<Record<string, string>> = {},
): Promise<string> {
  const context = join(folder, "image");
  const place = (inner: string) => {
    const path = join(context, "root", inner);
    mkdirSync(dirname(path), { recursive: true });
    return path;
  };
  for (const [name, file] of Object.entries({ node: process.execPath, ...programs })) {
    copyFileSync(file, place(`usr/bin/${name}`));
    for (const library of librariesOf(file)) copyFileSync(library, place(library));
  }
  copyFileSync(fakeCodex, place("opt/fake-codex/codex.mjs"));
  const script = (inner: string, text: string) => {
    writeFileSync(place(inner), `#!/bin/sh\n${text}\n`);
    chmodSync(place(inner), 0o755);
  };
  if (programs["codex"] === undefined)
    script("usr/bin/codex", 'exec node /opt/fake-codex/codex.mjs "$@"');
  script(
    "usr/bin/npx",
    '[ "$1" = -y ] || exit 9; package=$2; shift 2; exec node "$package/codex.mjs" "$@"',
  );
  writeFileSync(
    join(context, "Dockerfile"),
    `FROM ${baseImage}\nENV PATH=/usr/bin:/bin\nCOPY root /\n`,
  );
  return (await provider.buildImage({ context })).reference;
}

/** The program that the npm package starts: it is linked with nothing, so it runs in any image. */
export function nativeCodex(): string {
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
