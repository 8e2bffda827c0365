import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";

import { archiveKindOf } from "../../packages/assay/src/bundle/evidence-import/archives/archive-kind.ts";
import {
  archiveLimits,
  lookInside,
} from "../../packages/assay/src/bundle/evidence-import/archives/look-inside.ts";
import { createRedactor } from "../../packages/assay/src/provenance/redaction/redactor.ts";
import { canary, descriptor, evidence, importKit } from "./import-kit.ts";

/** A tar file with one entry for each name, written here so that it is the same everywhere. */
function tar(entries: Readonly<Record<string, Buffer | string>>): Buffer {
  const blocks = Object.entries(entries).flatMap(([name, content]) => {
    const body = Buffer.from(content);
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(`${body.length.toString(8).padStart(11, "0")} `, 124);
    header.write("        ", 148);
    header.write("0", 156);
    header.write("ustar\u000000", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** A ZIP file with one entry for each name. */
function zip(entries: Readonly<Record<string, Buffer | string>>, flags = 0): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(entries)) {
    const packed = deflateRawSync(content);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(8, 8);
    header.writeUInt32LE(packed.length, 18);
    header.writeUInt16LE(name.length, 26);
    local.push(header, Buffer.from(name), packed);
    const row = Buffer.alloc(46);
    row.writeUInt32LE(0x02014b50, 0);
    row.writeUInt16LE(flags, 8);
    row.writeUInt16LE(8, 10);
    row.writeUInt32LE(packed.length, 20);
    row.writeUInt16LE(name.length, 28);
    row.writeUInt32LE(at, 42);
    central.push(row, Buffer.from(name));
    at += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(entries).length, 10);
  end.writeUInt32LE(Buffer.concat(central).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...local, ...central, end]);
}

const text = `a log\nthe key was ${canary}\n`;
const harmless = "nothing to see here\n";
const made: Readonly<Record<string, (content: string) => Buffer>> = {
  gzip: (content) => gzipSync(content),
  tar: (content) => tar({ "a.txt": "x", "logs/b.txt": content }),
  "tar in gzip": (content) => gzipSync(tar({ "b.txt": content })),
  zip: (content) => zip({ "a.txt": "x", "b.txt": content }),
  "an object of git": (content) => deflateSync(`blob ${content.length}\0${content}`),
  "gzip in zip in tar": (content) => tar({ "c.zip": zip({ "d.gz": gzipSync(content) }) }),
};

const redactor = () => createRedactor({ secrets: [{ name: "CANARY", value: canary }] });

async function importArchive(name: string, bytes: Buffer) {
  const kit = importKit();
  const file = join(kit.scratch, "workspace", name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  const stored = await kit.import(
    evidence({ final_state: descriptor({ ref: dirname(file), format: "dir" }) }),
  );
  return {
    ...stored,
    row: stored.row(name),
    bytes: readFileSync(stored.path("final_state", name)),
    stored,
  };
}

describe("an archive in evidence", () => {
  it.each(Object.entries(made))("that holds a secret is withheld: %s", async (_name, make) => {
    const archive = make(text);

    const { row, bytes, stored } = await importArchive("data.bin", archive);

    expect(bytes.toString()).toBe(
      `Withheld by Assay: an archive of ${archive.length} bytes that held a secret.\n`,
    );
    expect(row).toMatchObject({ isWithheld: true, mediaType: "text/plain" });
    expect(row.redactions).toBeGreaterThan(0);
    expect(stored.disagreements()).toEqual([]);
  });

  it.each(Object.entries(made))("without one is stored as it is: %s", async (_name, make) => {
    const archive = make(harmless);

    const { row, bytes } = await importArchive("data.bin", archive);

    expect(bytes).toEqual(archive);
    expect(row).toMatchObject({ isWithheld: false, redactions: 0 });
  });

  it("of real tools is looked into", async () => {
    const { root } = importKit();
    writeFileSync(join(root, "log.txt"), text.repeat(50));
    for (const [command, ...args] of [
      ["tar", "-czf", "a.tgz", "log.txt"],
      ["tar", "--format=pax", "-cf", "a.tar", "log.txt"],
      ["gzip", "-k", "log.txt"],
    ] as const)
      execFileSync(command, args, { cwd: root });

    for (const name of ["a.tgz", "a.tar", "log.txt.gz"]) {
      const inside = await lookInside(readFileSync(join(root, name)), redactor());
      expect(name === "a.tar" || inside.secrets > 0, name).toBe(true);
      expect(inside.unread).toBeNull();
    }
  });

  it("of git is looked into: loose objects and packs", async () => {
    const { root } = importKit();
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root });
    git("init", "-q");
    for (const content of [
      harmless,
      `${text}${"more\n".repeat(40)}`,
      `${text}${"more\n".repeat(41)}`,
    ]) {
      writeFileSync(join(root, "log.txt"), content);
      git("add", ".");
      git("commit", "-qm", "x");
    }
    git("gc", "-q");
    const [pack = ""] = execFileSync("sh", ["-c", "ls .git/objects/pack/*.pack"], { cwd: root })
      .toString()
      .split("\n");

    const inside = await lookInside(readFileSync(join(root, pack)), redactor());

    expect(inside.unread).toBeNull();
    expect(inside.secrets).toBeGreaterThan(0);
  });

  it.each([
    ["is damaged", gzipSync(harmless).subarray(0, 20), "it is damaged or encrypted"],
    ["is encrypted", zip({ "a.txt": harmless }, 1), "it is damaged or encrypted"],
    ["is of another format", Buffer.from(`BZh9${"x".repeat(40)}`), "its format is not read"],
    [
      "unpacks to too much",
      gzipSync(Buffer.alloc(archiveLimits.unpackedBytes + 1)),
      "it is too large",
    ],
    [
      "is too large itself",
      Buffer.concat([gzipSync("x"), Buffer.alloc(archiveLimits.fileBytes, 1)]),
      "it is too large",
    ],
  ])("that %s is withheld", async (_why, archive, because) => {
    const { row, bytes } = await importArchive("data.bin", archive);

    expect(bytes.toString()).toBe(
      `Withheld by Assay: an archive of ${archive.length} bytes that could not be looked into: ${because}.\n`,
    );
    expect(row).toMatchObject({ isWithheld: true, redactions: 0 });
    expect(row.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
  });

  it("is looked into only so deep and so far", async () => {
    let nested = Buffer.from(text);
    for (let depth = 0; depth <= archiveLimits.depth; depth += 1) nested = gzipSync(nested);
    const many = tar(Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`f${at}`, "x"])));

    expect(await lookInside(nested, redactor())).toMatchObject({ unread: "too_large" });
    expect(await lookInside(many, redactor(), { ...archiveLimits, entries: 8 })).toMatchObject({
      unread: "too_large",
    });
  });

  it("that is withheld is counted", async () => {
    const one = redactor();
    one.countWithheld();

    expect(one.counts()).toEqual({ "withheld-file": 1 });
  });

  it.each(["x ray, xylophone", "plain text", "{}", "", "P", "PK is a name"])(
    "is none: a text such as %j",
    (content) => {
      expect(archiveKindOf(Buffer.from(content))).toBeNull();
    },
  );
});

describe("compressed bytes that no first bytes of a file tell", () => {
  const program = Buffer.from("7f454c4602010100", "hex");
  const script = Buffer.from(`#!/bin/sh\n${"# it unpacks itself\n".repeat(4000)}exit\n`);
  const hidden: Readonly<Record<string, (content: string) => Buffer>> = {
    "deflate without a header": (content) => deflateRawSync(content),
    brotli: (content) => brotliCompressSync(content),
    "gzip in a program": (content) => Buffer.concat([program, gzipSync(content), program]),
    "gzip behind a script": (content) => Buffer.concat([script, gzipSync(content)]),
    "gzip that is cut off behind other bytes": (content) =>
      Buffer.concat([program, gzipSync(content).subarray(0, -9)]),
    "zip behind a script": (content) => Buffer.concat([script, zip({ "a.txt": content })]),
    "deflate in tar": (content) => tar({ "a.bin": deflateRawSync(content) }),
    "gzip in deflate": (content) => deflateRawSync(gzipSync(content)),
  };

  it.each(Object.entries(hidden))("are looked into: %s", async (_name, make) => {
    const file = make(text);

    const { row, bytes } = await importArchive("data.bin", file);

    expect(bytes.toString()).toMatch(
      /^Withheld by Assay: an? (?:archive|binary file) of \d+ bytes that held a secret\.\n$/,
    );
    expect(row.isWithheld).toBe(true);
    expect(row.redactions).toBeGreaterThan(0);
    const same = await importArchive("data.bin", make(harmless));
    expect(same.bytes).toEqual(make(harmless));
  });

  it("are found where their beginning lies on the border of two chunks", async () => {
    const packed = gzipSync(text);
    for (const before of [1, 2, 3]) {
      const file = Buffer.concat([Buffer.alloc(64 * 1024 - before, "a "), packed]);

      expect((await importArchive("data.bin", file)).row.isWithheld, `${before}`).toBe(true);
    }
  });

  it("are no reason to withhold what only looks like them, whatever its size", async () => {
    const magic = Buffer.from("1f8b0800", "hex");
    const file = Buffer.concat([Buffer.alloc(archiveLimits.fileBytes, 7), program, magic]);

    expect((await importArchive("data.bin", file)).row).toMatchObject({ isWithheld: false });
    const many = Buffer.concat([program, ...Array<Buffer>(40).fill(magic)]);
    expect(await lookInside(many, redactor())).toEqual({ secrets: 0, unread: "too_large" });
  });
});
