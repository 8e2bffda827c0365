import path from "node:path";
import { fileURLToPath } from "node:url";

/** A file of the suite's author; what lies in node_modules is a package and is represented by the lockfile. */
export function isLocal(file: string): boolean {
  return path.isAbsolute(file) && !file.split(path.sep).includes("node_modules");
}

/** CommonJS is left to Node; everything else goes through the transform, so that its own imports are seen. */
export function isTransformed(file: string, text: string): boolean {
  const extension = path.extname(file);
  if (/^\.[mc]?ts$/.test(extension) || extension === ".mjs") return true;
  return extension === ".js" && /^\s*(?:import\b|export\b)|\bimport\.meta\b/m.test(text);
}

/** `resolved` is a path or a `file:` URL. */
export function toPath(resolved: string): string {
  return resolved.startsWith("file:") ? fileURLToPath(resolved) : resolved;
}

export function packageOf(specifier: string): string {
  const [scope = "", name = ""] = specifier.split("/");
  return scope.startsWith("@") ? `${scope}/${name}` : scope;
}
