import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { nodeFileStore as files } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { defineTool, itNeeds } from "../support/tools.ts";
import { runScript } from "./real-processes.ts";
import { temporaryFolder } from "./temporary-folder.ts";

function runShell(command: string) {
  return spawnSync("sh", ["-c", command]);
}

defineTool("tmpfs", () => {
  if (process.geteuid?.() !== 0) return "only root can mount a small file system";
  const probe = runShell("unshare --mount mount -t tmpfs none /mnt");
  return probe.status === 0 ? null : "a small file system cannot be mounted here";
});

const diskBytes = 64 * 1024;

/** A disk of 64 KiB. */
function smallDisk(): string {
  const folder = join(temporaryFolder(), "disk");
  mkdirSync(folder);
  expect(runShell(`mount -t tmpfs -o size=${diskBytes} none ${folder}`).status).toBe(0);
  onTestFinished(() => {
    runShell(`umount --lazy ${folder}`);
  });
  return folder;
}

const noSpace = { code: "ASSAY_STORE_FAILED", data: { systemCode: "ENOSPC" } };

itNeeds(
  "tmpfs",
  "a full disk fails a write with ENOSPC, and leaves the old file and no other",
  async () => {
    const disk = smallDisk();
    await files.writeAtomic(join(disk, "file"), "old");

    await expect(
      files.writeAtomic(join(disk, "file"), "x".repeat(diskBytes)),
    ).rejects.toMatchObject({
      ...noSpace,
      data: { path: join(disk, "file"), systemCode: "ENOSPC" },
    });
    await expect(
      files.writeNew(join(disk, "new"), [Buffer.alloc(1000), Buffer.alloc(diskBytes)]),
    ).rejects.toMatchObject(noSpace);

    expect(readdirSync(disk)).toEqual(["file"]);
    expect(readFileSync(join(disk, "file"), "utf8")).toBe("old");
  },
);

itNeeds("tmpfs", "an append that did not fit leaves no half line before the next one", async () => {
  const disk = smallDisk();
  writeFileSync(join(disk, "ballast"), Buffer.alloc(diskBytes / 2));
  const writer = await files.openAppend(join(disk, "rows"));
  await writer.append("first\n");

  await expect(writer.append(`${"x".repeat(diskBytes)}\n`)).rejects.toMatchObject(noSpace);
  unlinkSync(join(disk, "ballast"));
  await writer.append("second\n");
  await writer.sync();
  await writer.close();

  expect(readFileSync(join(disk, "rows"), "utf8")).toBe("first\nsecond\n");
});

itNeeds("tmpfs", "output that the disk cannot take ends the process and is an error", async () => {
  const file = join(smallDisk(), "out");
  const startedMs = performance.now();

  await expect(
    runScript("head -c 1000000 /dev/zero; sleep 30", { stdout: { file } }),
  ).rejects.toMatchObject({ ...noSpace, data: { path: file, systemCode: "ENOSPC" } });

  expect(performance.now() - startedMs).toBeLessThan(10_000);
  expect(statSync(file).size).toBeLessThanOrEqual(diskBytes);
});
