import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeFileStore as files } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { makeFifo, temporaryFolder } from "./temporary-folder.ts";
import { asNobody } from "./unprivileged.ts";

const modeOf = (path: string): number => lstatSync(path).mode & 0o7777;

describe("an atomic write", () => {
  it("makes a private file, and replaces one that is there", async () => {
    const path = join(temporaryFolder(), "file");
    await files.writeAtomic(path, "first");
    chmodSync(path, 0o644);

    await files.writeAtomic(path, Buffer.from("second"));

    expect(readFileSync(path, "utf8")).toBe("second");
    expect(modeOf(path)).toBe(0o600);
    expect(readdirSync(join(path, ".."))).toEqual(["file"]);
  });

  it("replaces a link at the target and leaves alone what the link leads to", async () => {
    const folder = temporaryFolder();
    const [victim, link] = [join(folder, "victim"), join(folder, "link")];
    writeFileSync(victim, "precious");
    symlinkSync(victim, link);

    await files.writeAtomic(link, "new");

    expect(readFileSync(victim, "utf8")).toBe("precious");
    expect(lstatSync(link).isFile()).toBe(true);
    expect(readFileSync(link, "utf8")).toBe("new");
  });

  it("replaces a FIFO without waiting for its other end", async () => {
    const path = join(temporaryFolder(), "fifo");
    makeFifo(path);

    await files.writeAtomic(path, "new");

    expect(readFileSync(path, "utf8")).toBe("new");
  });

  it("leaves no temporary file when the target is a directory", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "target");
    mkdirSync(path);

    await expect(files.writeAtomic(path, "x")).rejects.toMatchObject({
      code: "ASSAY_STORE_FAILED",
      data: { path, systemCode: "EISDIR" },
    });
    expect(readdirSync(folder)).toEqual(["target"]);
  });

  it("names the path that was asked for when its folder is missing or closed", async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o555);

    await expect(files.writeAtomic(join(folder, "no", "file"), "x")).rejects.toMatchObject({
      code: "ASSAY_STORE_FAILED",
      data: { path: join(folder, "no", "file"), systemCode: "ENOENT" },
    });
    await asNobody(() =>
      expect(files.writeAtomic(join(folder, "file"), "x")).rejects.toMatchObject({
        code: "ASSAY_STORE_FAILED",
        data: { path: join(folder, "file"), systemCode: "EACCES" },
      }),
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it("takes the longest names that file systems take", async () => {
    const folder = temporaryFolder();

    for (const name of ["x".repeat(255), "é".repeat(127), "😀".repeat(63)]) {
      await files.writeAtomic(join(folder, name), name);
      expect(readFileSync(join(folder, name), "utf8")).toBe(name);
    }
  });
});

describe("writing a new file", () => {
  it("takes chunks from a stream into a private file", async () => {
    const path = join(temporaryFolder(), "file");
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("one ");
      yield Buffer.from("two");
    }

    await files.writeNew(path, chunks());

    expect(readFileSync(path, "utf8")).toBe("one two");
    expect(modeOf(path)).toBe(0o600);
  });

  it.each(["file", "link", "dangling", "directory"])(
    "refuses where there is a %s",
    async (kind) => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, "file"), "precious");
      symlinkSync("file", join(folder, "link"));
      symlinkSync("nowhere", join(folder, "dangling"));
      mkdirSync(join(folder, "directory"));

      await expect(files.writeNew(join(folder, kind), [Buffer.from("x")])).rejects.toMatchObject({
        code: "ASSAY_STORE_FAILED",
        data: { systemCode: "EEXIST" },
      });
      expect(readFileSync(join(folder, "file"), "utf8")).toBe("precious");
      expect(existsSync(join(folder, "nowhere"))).toBe(false);
    },
  );

  it("leaves nothing when the stream breaks, and throws what broke it", async () => {
    const folder = temporaryFolder();
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("one ");
      throw new Error("the source broke");
    }

    await expect(files.writeNew(join(folder, "file"), chunks())).rejects.toThrow(
      "the source broke",
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("appending", () => {
  it("keeps the order of appends that do not wait for each other", async () => {
    const path = join(temporaryFolder(), "rows");
    const writer = await files.openAppend(path);
    const rows = Array.from({ length: 200 }, (_, index) => `${index} ${"x".repeat(index * 20)}\n`);

    await Promise.all(rows.map((row) => writer.append(row)));
    await writer.sync();
    await writer.close();

    expect(readFileSync(path, "utf8")).toBe(rows.join(""));
    expect(modeOf(path)).toBe(0o600);
  });

  it("goes on at the end of a file that is there", async () => {
    const path = join(temporaryFolder(), "rows");
    writeFileSync(path, "a\n");
    const writer = await files.openAppend(path);

    await writer.append("b\n");
    await writer.close();

    expect(readFileSync(path, "utf8")).toBe("a\nb\n");
  });

  it("refuses links, FIFOs and directories without waiting", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "victim"), "precious");
    symlinkSync("victim", join(folder, "link"));
    makeFifo(join(folder, "fifo"));

    for (const path of [join(folder, "link"), join(folder, "fifo"), folder]) {
      await expect(files.openAppend(path)).rejects.toMatchObject({ code: "ASSAY_STORE_FAILED" });
    }
    expect(readFileSync(join(folder, "victim"), "utf8")).toBe("precious");
  });

  it.each<[string, (path: string) => void]>([
    ["moved with its directory", (path) => renameSync(dirname(path), `${dirname(path)}-moved`)],
    ["removed", (path) => rmSync(path)],
    [
      "replaced",
      (path) => {
        renameSync(path, `${path}-old`);
        writeFileSync(path, "");
      },
    ],
  ])("to a file that was %s is an error of its sync", async (_what, take) => {
    const path = join(temporaryFolder(), "below", "rows");
    mkdirSync(dirname(path));
    const writer = await files.openAppend(path);
    take(path);

    await writer.append("a\n");

    await expect(writer.sync()).rejects.toMatchObject({
      code: "ASSAY_STORE_FAILED",
      data: { path, systemCode: "ENOENT" },
    });
    await writer.close();
  });

  it("an append after the end is an error of that append", async () => {
    const writer = await files.openAppend(join(temporaryFolder(), "rows"));
    await writer.close();

    await expect(writer.append("x\n")).rejects.toMatchObject({ code: "ASSAY_STORE_FAILED" });
  });
});

describe.each([
  { name: "makePrivateDirectory", make: files.makePrivateDirectory },
  {
    name: "makePrivateDirectorySync",
    make: async (path: string) => files.makePrivateDirectorySync(path),
  },
])("a private directory by $name", ({ make }) => {
  it("is made with mode 0700", async () => {
    const path = join(temporaryFolder(), "private");
    await make(path);

    expect(modeOf(path)).toBe(0o700);
  });

  it.each([0o755, 0o777, 0o500, 0o1777])("an existing one of mode %o is repaired", async (mode) => {
    const path = join(temporaryFolder(), "private");
    mkdirSync(path);
    chmodSync(path, mode);
    writeFileSync(join(path, "kept"), "");

    await make(path);

    expect(modeOf(path)).toBe(0o700);
    expect(readdirSync(path)).toEqual(["kept"]);
  });

  it.each([
    { kind: "link", systemCode: "ELOOP" },
    { kind: "dangling", systemCode: "ELOOP" },
    { kind: "file", systemCode: "ENOTDIR" },
  ])("a $kind in its place is an error, and stays", async ({ kind, systemCode }) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "elsewhere"), { mode: 0o755 });
    symlinkSync("elsewhere", join(folder, "link"));
    symlinkSync("nowhere", join(folder, "dangling"));
    writeFileSync(join(folder, "file"), "");
    const path = join(folder, kind);

    await expect(make(path)).rejects.toMatchObject({
      code: "ASSAY_STORE_FAILED",
      data: { path, systemCode },
    });
    expect(modeOf(join(folder, "elsewhere"))).toBe(0o755);
    expect(existsSync(join(folder, "nowhere"))).toBe(false);
  });

  it("one of another user is an error, and its mode stays", async () => {
    const path = join(temporaryFolder(), "foreign");
    mkdirSync(path, { mode: 0o755 });
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) chownSync(path, 65_534, 65_534);
    const foreign = isRoot ? path : "/";

    await expect(make(foreign)).rejects.toMatchObject({
      code: "ASSAY_STORE_FAILED",
      data: { path: foreign, systemCode: "EPERM" },
    });
    if (isRoot) expect(modeOf(path)).toBe(0o755);
  });
});

describe("making a directory", () => {
  it.runIf(process.platform === "linux")(
    "is an error where the system denies the name, and not an endless loop",
    async () => {
      await expect(files.makeDirectory("/proc/assay/run")).rejects.toMatchObject({
        code: "ASSAY_STORE_FAILED",
        data: { systemCode: "ENOENT" },
      });
      expect(() => files.makePrivateDirectorySync("/proc/assay/run")).toThrow("/proc/assay/run");
    },
  );

  it("is made by several at once", async () => {
    const path = join(temporaryFolder(), "a", "b", "c");

    await Promise.all(Array.from({ length: 20 }, () => files.makeDirectory(path)));

    expect(statSync(path).isDirectory()).toBe(true);
  });

  it("is refused where a file stands in the way", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "");

    for (const path of ["file", "file/below"]) {
      await expect(files.makeDirectory(join(folder, path))).rejects.toMatchObject({
        code: "ASSAY_STORE_FAILED",
      });
    }
  });

  it("makes its parents, all private, and takes one that is there", async () => {
    const folder = temporaryFolder();
    await files.makeDirectory(join(folder, "a", "b"));
    await files.makeDirectory(join(folder, "a", "b"));

    expect([modeOf(join(folder, "a")), modeOf(join(folder, "a", "b"))]).toEqual([0o700, 0o700]);
  });
});

describe("removing", () => {
  it("removes a link and leaves alone what it leads to; absent is fine", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "victim"));
    writeFileSync(join(folder, "victim", "file"), "precious");
    mkdirSync(join(folder, "tree"));
    symlinkSync("../victim", join(folder, "tree", "link"));

    await files.remove(join(folder, "tree"));
    await files.remove(join(folder, "tree"));

    expect(readdirSync(folder)).toEqual(["victim"]);
    expect(readFileSync(join(folder, "victim", "file"), "utf8")).toBe("precious");
  });

  it("removes trees whose directories may not be written, and repairs nothing behind links", async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o777);
    mkdirSync(join(folder, "outside"));
    chmodSync(join(folder, "outside"), 0o555);
    await asNobody(async () => {
      mkdirSync(join(folder, "tree", "a", "b"), { recursive: true });
      writeFileSync(join(folder, "tree", "a", "b", "file"), "", { mode: 0o400 });
      symlinkSync("../../outside", join(folder, "tree", "a", "link"));
      for (const path of ["tree/a/b", "tree/a", "tree"]) chmodSync(join(folder, path), 0o555);

      await files.remove(join(folder, "tree"));
    });

    expect(readdirSync(folder)).toEqual(["outside"]);
    expect(statSync(join(folder, "outside")).mode & 0o777).toBe(0o555);
  });
});
