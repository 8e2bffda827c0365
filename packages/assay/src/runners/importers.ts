import type { Importer } from "../contracts/importer.ts";

/** Every shipped importer by the format it reads, loaded when asked for. */
export const importerMap = {
  codex: async () => (await import("./codex/import.ts")).codexImporter,
  fabric: async () => (await import("./fabric/import.ts")).fabricImporter,
  gym: async () => (await import("./gym/import.ts")).gymImporter,
  harbor: async () => (await import("./harbor/import.ts")).harborImporter,
} as const satisfies ImporterMap;

export type ImporterMap = Readonly<Record<string, () => Promise<Importer>>>;
