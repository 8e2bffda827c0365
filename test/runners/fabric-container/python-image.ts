import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import type { SandboxProvider } from "../../../packages/assay/src/contracts/sandbox.ts";
import { baseImage } from "../../sandbox/docker-kit.ts";
import { repoRoot } from "../../support/tools.ts";

const fixtures = join(repoRoot, "packages/assay/src/runners/fabric/fixtures");
/** Large and not needed. */
const unwanted =
  /^(?:test|tests|__pycache__|idlelib|tkinter|turtledemo|ensurepip|site-packages|dist-packages|config-.*|.*\.a)$/;

interface Interpreter {
  readonly executable: string;
  readonly stdlib: string;
  readonly name: string;
}

/**
 * An image with a Python of this machine, and either the stand-ins for Fabric and Relay or `packages`, a folder of
 * installed packages. Nothing is fetched.
 */
export async function pythonImage(
  provider: SandboxProvider,
  folder: string,
  { python, packages }: { readonly python: string; readonly packages?: string },
): Promise<string> {
  const context = join(folder, packages === undefined ? "image" : "image-with-packages");
  const root = join(context, "root");
  const { executable, stdlib, name } = interpreterOf(python);
  const place = (inner: string) => {
    const path = join(root, inner);
    mkdirSync(dirname(path), { recursive: true });
    return path;
  };
  copyFileSync(executable, place("opt/python/bin/python3"));
  const filter = (path: string) => !unwanted.test(basename(path));
  cpSync(stdlib, place(`opt/python/lib/${name}`), { recursive: true, filter });
  const added = `opt/python/lib/${name}/site-packages`;
  if (packages === undefined) {
    for (const part of ["stand-in", "stand-in-relay"])
      cpSync(join(fixtures, part), place(added), { recursive: true });
  } else {
    cpSync(packages, place(added), { recursive: true, filter: isSmallPackage });
    cpSync(join(repoRoot, "test/runners/fabric/adapter"), place("opt/adapter"), {
      recursive: true,
    });
  }
  const names = readdirSync(join(root, "opt/python"), { recursive: true, encoding: "utf8" });
  const native = names
    .filter((file) => file.endsWith(".so"))
    .map((file) => join(root, "opt/python", file));
  for (const library of librariesOf([executable, ...native]))
    if (!existsSync(join(root, library))) copyFileSync(library, place(library));
  writeFileSync(
    join(context, "Dockerfile"),
    `FROM ${baseImage}\nENV PATH=/opt/python/bin:/usr/bin:/bin PYTHONHOME=/opt/python\nCOPY root /\nRUN chmod -R a+rX /opt\n`,
  );
  return (await provider.buildImage({ context })).reference;
}

/** Without the agents that the harness of another test needs: they have hundreds of megabytes. */
function isSmallPackage(path: string): boolean {
  return !/^(?:codex_cli_bin|openai_codex|pip|setuptools|__pycache__)/.test(basename(path));
}

function interpreterOf(python: string): Interpreter {
  const program = `
import json, os, sys, sysconfig
name = "python%d.%d" % sys.version_info[:2]
executable = os.path.realpath(sys.executable)
print(json.dumps({"executable": executable, "stdlib": sysconfig.get_path("stdlib"), "name": name}))`;
  const { stdout } = spawnSync(python, ["-c", program], { encoding: "utf8" });
  return JSON.parse(stdout) as Interpreter;
}

/** The libraries that programs are linked with, by their paths. */
function librariesOf(files: readonly string[]): Set<string> {
  const { stdout } = spawnSync("ldd", [...files], { encoding: "utf8" });
  return new Set([...stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map((match) => match[1] ?? ""));
}
