import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

import { DurableState } from "../../crash-matrix/durable-state.mjs";
import { cutPower } from "../../crash-matrix/power-cut.mjs";
import { temporaryFolder } from "../platform/temporary-folder.ts";

/** A place in which `run/old.txt` has been for long. */
function place() {
  const root = temporaryFolder();
  const run = join(root, "run");
  mkdirSync(run);
  writeFileSync(join(run, "old.txt"), "old");
  writeFileSync(join(root, "log"), "judges");
  const disk = new DurableState(root);
  const sync = (path: string) => {
    const end = disk.syncing(path);
    const handle = openSync(path, "r");
    fsyncSync(handle);
    closeSync(handle);
    end();
  };
  const write = (name: string, text: string) => {
    writeFileSync(join(run, name), text);
    disk.created(join(run, name));
    return join(run, name);
  };
  const cut = ({ keepsNames = false } = {}) => {
    const stateFile = join(dirname(run), "power-cut");
    writeFileSync(stateFile, JSON.stringify(disk.tree(keepsNames)));
    cutPower(root, stateFile);
    return Object.fromEntries(
      readdirSync(run).map((name) => [name, readFileSync(join(run, name), "utf8")]),
    );
  };
  return { root, run, sync, write, cut };
}

describe("what is left after a power cut", () => {
  it("is what was there before the process began", () => {
    const { root, cut } = place();

    expect(cut()).toEqual({ "old.txt": "old" });
    expect(readFileSync(join(root, "log"), "utf8")).toBe("judges");
  });

  it("is no file that nobody synced, or one without its bytes", () => {
    const { cut, write } = place();
    write("new.txt", "new");

    expect(cut({ keepsNames: true })).toEqual({ "old.txt": "old", "new.txt": "" });
    expect(cut()).toEqual({ "old.txt": "old" });
  });

  it("is no file of a directory that nobody synced, though its bytes were", () => {
    const { cut, write, sync } = place();
    sync(write("new.txt", "new"));

    expect(cut()).toEqual({ "old.txt": "old" });
  });

  it("is a file that was synced in a directory that was synced, as far as it was", () => {
    const { run, cut, write, sync } = place();
    const file = write("new.txt", "new");
    sync(file);
    sync(run);
    writeFileSync(file, "new and newer");

    expect(cut()).toEqual({ "old.txt": "old", "new.txt": "new" });
  });

  it("is the old name and the old bytes of what was renamed or cut, until the directory is synced", () => {
    const { run, cut, write, sync } = place();
    sync(write(".old.txt.tmp", "new"));
    sync(run);
    renameSync(join(run, ".old.txt.tmp"), join(run, "old.txt"));
    truncateSync(join(run, "old.txt"), 1);

    expect(cut({ keepsNames: true })).toEqual({ "old.txt": "new" });
  });

  it("is both names of a rename that nobody synced", () => {
    const { run, cut, write, sync } = place();
    sync(write(".old.txt.tmp", "new"));
    sync(run);
    renameSync(join(run, ".old.txt.tmp"), join(run, "old.txt"));

    expect(cut()).toEqual({ "old.txt": "old", ".old.txt.tmp": "new" });
  });

  it("is what was removed, until its directory is synced", () => {
    const { run, cut } = place();
    rmSync(join(run, "old.txt"));

    expect(cut()).toEqual({ "old.txt": "old" });
  });

  it("is not what was removed from a directory that was synced then", () => {
    const { run, cut, sync } = place();
    rmSync(join(run, "old.txt"));
    sync(run);

    expect(cut()).toEqual({});
  });

  it("is a link with its target", () => {
    const { run, cut, sync } = place();
    symlinkSync("old.txt", join(run, "link"));
    sync(run);

    expect(cut()).toEqual({ "old.txt": "old", link: "old" });
  });
});
