import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { nodeFileStore as files } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { temporaryFolder } from "./temporary-folder.ts";

function directory(path: string, text: string): string {
  mkdirSync(path);
  writeFileSync(join(path, "file"), text);
  return path;
}

describe("a directory that is put in the place of another", () => {
  it("is there whenever this process looks, and leaves nothing of the other", async () => {
    const root = temporaryFolder();
    const place = directory(join(root, "place"), "old");
    const from = directory(join(root, "from"), "new");

    let isDone = false;
    const replaced = files.replaceDirectory(from, place).then(() => {
      isDone = true;
    });
    while (!isDone) {
      expect(existsSync(place)).toBe(true);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await replaced;

    expect(readFileSync(join(place, "file"), "utf8")).toBe("new");
    expect(readdirSync(root)).toEqual(["place"]);
  });

  it("leaves the other where it was when it is not there itself", async () => {
    const root = temporaryFolder();
    const place = directory(join(root, "place"), "old");

    await expect(files.replaceDirectory(join(root, "none"), place)).rejects.toThrow();

    expect(readFileSync(join(place, "file"), "utf8")).toBe("old");
    expect(readdirSync(root)).toEqual(["place"]);
  });
});
