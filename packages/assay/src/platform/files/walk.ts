import type { WalkEntry } from "../../contracts/files.ts";
import { OpenDirectory } from "./open-directory.ts";

/** Depth first, names in code-unit order, links reported and not followed. Entries that vanish meanwhile are left out. */
export async function* walk(root: string): AsyncGenerator<WalkEntry> {
  yield* walkInto(await OpenDirectory.open(root), "");
}

async function* walkInto(directory: OpenDirectory, prefix: string): AsyncGenerator<WalkEntry> {
  try {
    for (const name of await directory.names()) {
      const facts = await directory.facts(name);
      if (facts === null) continue;
      const path = `${prefix}${name}`;
      yield { path, ...facts };
      if (facts.kind === "directory") {
        yield* walkInto(await directory.openDirectory(name), `${path}/`);
      }
    }
  } finally {
    await directory.close();
  }
}
