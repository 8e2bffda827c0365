import path from "node:path";
import { fileURLToPath } from "node:url";

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
