import { existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../packages/assay/src/platform/clock.ts";
import { createProcessCapability } from "../../packages/assay/src/platform/process/process-capability.ts";
import { env, runScript, startCapability } from "./real-processes.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const mebibyte = 1024 * 1024;

describe("input", () => {
  it("stdin gets the text and is closed after it", async () => {
    const result = await runScript("cat; echo end", { stdin: "héllo\n" });

    expect(result.stdout.text).toBe("héllo\nend\n");
  });

  it("without text stdin is empty", async () => {
    expect((await runScript("wc -c")).stdout.text.trim()).toBe("0");
  });

  it("a process that does not read its input does no harm", async () => {
    const result = await runScript("exec true", { stdin: "x".repeat(8 * mebibyte) });

    expect(result).toMatchObject({ ending: "exited", exitCode: 0 });
  });

  it("arguments are not seen by a shell", async () => {
    const argv = ["printf", "%s|", "$HOME", "a b", "*", "'", ";exit 1", ""] as const;

    const result = await startCapability().run({ argv, cwd: "/", env });

    expect(result.stdout.text).toBe("$HOME|a b|*|'|;exit 1||");
  });
});

describe("messages", () => {
  it("come on a descriptor of their own, whole and in order, up to the last", async () => {
    const lines: string[] = [];
    const script = 'i=0; while [ $i -lt 2000 ]; do i=$((i+1)); echo "line $i" >&3; done; echo out';
    const { stdout } = await runScript(script, {
      messages: { onLine: (line) => lines.push(line) },
    });

    expect(stdout.text).toBe("out\n");
    expect(lines).toEqual(Array.from({ length: 2000 }, (_item, index) => `line ${index + 1}`));
  });

  it("have no descriptor unless they are asked for", async () => {
    const { stdout } = await runScript("if echo x >&3; then echo open; else echo closed; fi");

    expect(stdout.text).toBe("closed\n");
  });

  it("that are not read to their end hold nothing up", async () => {
    const script = "setsid sh -c 'sleep 30' & echo one >&3";
    const lines: string[] = [];

    const result = await runScript(script, { messages: { onLine: (line) => lines.push(line) } });

    expect(result.ending).toBe("exited");
    expect(lines).toEqual(["one"]);
  });
});

describe("environment", () => {
  it("holds what was given and the two marks, and nothing of the host's", async () => {
    const token = "0123456789abcdef0123456789abcdef";
    const given = { PATH: env.PATH, LANG: "C.UTF-8", EMPTY: "", MULTI: "a\nb" };
    const script = "process.stdout.write(JSON.stringify(process.env))";

    const result = await startCapability(token).run({
      argv: [process.execPath, "-e", script],
      cwd: "/",
      env: given,
    });

    const { ASSAY_PROCESS_MARK: mark, ...rest } = JSON.parse(result.stdout.text);
    expect(rest).toEqual({ ...given, ASSAY_RUN_MARK: token });
    expect(mark).toMatch(/^[0-9a-f]{32}$/);
  });

  it("each process has a mark of its own", async () => {
    const script = `printf %s "$ASSAY_PROCESS_MARK"`;
    const results = await Promise.all([runScript(script), runScript(script)]);

    expect(results[0]?.stdout.text).not.toBe(results[1]?.stdout.text);
  });

  it("the base environment has the curated names and those asked for, when they are set", async () => {
    const hostEnv = {
      PATH: "/bin",
      LANG: "C",
      OPENAI_API_KEY: "canary",
      HOME: "/home/me",
      ASKED: "1",
    };
    const capability = createProcessCapability({ token: "t", hostEnv, clock: systemClock });

    expect(capability.baseEnv()).toEqual({ PATH: "/bin", LANG: "C" });
    expect(capability.baseEnv(["ASKED", "ABSENT"])).toEqual({
      PATH: "/bin",
      LANG: "C",
      ASKED: "1",
    });
  });
});

describe("output", () => {
  it("goes to new private files", async () => {
    const folder = temporaryFolder();
    const [out, err] = [join(folder, "out"), join(folder, "err")];

    await runScript("echo to-out; echo to-err >&2", {
      stdout: { file: out },
      stderr: { file: err },
    });

    expect(readFileSync(out, "utf8")).toBe("to-out\n");
    expect(readFileSync(err, "utf8")).toBe("to-err\n");
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it("never goes through a link or over a file that is already there", async () => {
    const folder = temporaryFolder();
    const [victim, link] = [join(folder, "victim"), join(folder, "link")];
    writeFileSync(victim, "precious");
    symlinkSync(victim, link);

    for (const file of [victim, link]) {
      await expect(runScript("echo x", { stdout: { file } })).rejects.toMatchObject({
        code: "ASSAY_STORE_FAILED",
        data: { path: file, systemCode: "EEXIST" },
      });
    }

    expect(readFileSync(victim, "utf8")).toBe("precious");
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  it("100 MB are counted and capped, and the process is not held up by the cap", async () => {
    const file = join(temporaryFolder(), "out");
    const script = `head -c 100000000 /dev/zero; echo finished >&2`;

    const result = await runScript(script, { stdout: { file, maxBytes: 1000, keepBytes: 10 } });

    expect(result).toMatchObject({ ending: "exited", exitCode: 0 });
    expect(result.stdout).toEqual({
      text: `${"\0".repeat(10)}…`,
      totalBytes: 100_000_000,
      isTruncated: true,
    });
    expect(result.stderr.text).toBe("finished\n");
    expect(statSync(file).size).toBe(1000 + Buffer.byteLength("…"));
  });

  it.each([
    { maxBytes: 5, kept: "é€" },
    { maxBytes: 6, kept: "é€" },
    { maxBytes: 8, kept: "é€" },
    { maxBytes: 9, kept: "é€😀" },
    { maxBytes: 1, kept: "" },
    { maxBytes: 2, kept: "é" },
    { maxBytes: 4, kept: "é" },
  ])(
    "text cut at byte $maxBytes keeps whole characters and says so, in memory and in the file",
    async (row) => {
      const file = join(temporaryFolder(), "out");
      const { maxBytes, kept } = row;

      const result = await runScript("printf 'é€😀z'", {
        stdout: { file, maxBytes, keepBytes: maxBytes },
      });

      expect(result.stdout).toEqual({ text: `${kept}…`, totalBytes: 10, isTruncated: true });
      expect(readFileSync(file, "utf8")).toBe(`${kept}…`);
    },
  );

  it("text that fits is not truncated, at exactly the cap too", async () => {
    const result = await runScript("printf abc", {
      stdout: { keepBytes: 3 },
      stderr: { keepBytes: 0 },
    });

    expect(result.stdout).toEqual({ text: "abc", totalBytes: 3, isTruncated: false });
    expect(result.stderr).toEqual({ text: "", totalBytes: 0, isTruncated: false });
  });

  it("text that nobody wanted kept is not told as truncated when the file has all of it", async () => {
    const file = join(temporaryFolder(), "out");

    const result = await runScript("printf abc", { stdout: { file, keepBytes: 0 } });

    expect(result.stdout).toEqual({ text: "", totalBytes: 3, isTruncated: false });
  });

  it("bytes that are no UTF-8 become replacement characters, and the file has them as they were", async () => {
    const file = join(temporaryFolder(), "out");

    const result = await runScript(String.raw`printf 'a\377b\300'`, { stdout: { file } });

    expect(result.stdout.text).toBe("a\ufffdb\ufffd");
    expect(readFileSync(file)).toEqual(Buffer.from([0x61, 0xff, 0x62, 0xc0]));
  });

  it("lines arrive while the process runs", async () => {
    const folder = temporaryFolder();
    const go = join(folder, "go");
    const lines: string[] = [];
    const onLine = (line: string): void => {
      lines.push(line);
      if (line === "ready?") writeFileSync(go, "");
    };

    const script = `echo 'ready?'; while ! [ -e ${go} ]; do sleep 0.02; done; printf 'last'`;
    await runScript(script, { stdout: { onLine }, timeoutMs: 10_000 });

    expect(existsSync(go)).toBe(true);
    expect(lines).toEqual(["ready?", "last"]);
  });

  it("a line over 1 MiB is cut", async () => {
    const lines: string[] = [];

    await runScript(`head -c 3000000 /dev/zero | tr '\\0' x; echo; echo next`, {
      stdout: { onLine: (line) => lines.push(line) },
    });

    expect(lines.map((line) => line.length)).toEqual([mebibyte + "…".length, 4]);
  });

  it("an error of the line callback ends the process and is thrown", async () => {
    const startedMs = performance.now();
    const onLine = (): void => {
      throw new Error("the line was refused");
    };

    await expect(runScript("echo x; sleep 30", { stdout: { onLine } })).rejects.toThrow(
      "the line was refused",
    );
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });
});

describe("finding a program", () => {
  const capability = startCapability();

  it("looks for an executable file in each folder of the path", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "tool"), "", { mode: 0o755 });
    writeFileSync(join(folder, "text"), "", { mode: 0o644 });

    expect(await capability.find("tool", { path: `/nowhere:${folder}` })).toBe(
      join(folder, "tool"),
    );
    expect(await capability.find("text", { path: folder })).toBeNull();
    expect(await capability.find("tool", { path: "/nowhere" })).toBeNull();
    expect(await capability.find("", { path: folder })).toBeNull();
  });

  it("takes a name with a slash as a path from the working directory", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "tool"), "", { mode: 0o755 });

    expect(await capability.find("./tool", { cwd: folder })).toBe(join(folder, "tool"));
    expect(await capability.find("./other", { cwd: folder })).toBeNull();
  });

  it("does not take an empty entry of the path for the working directory", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "tool"), "", { mode: 0o755 });

    expect(await capability.find("tool", { path: ":", cwd: folder })).toBeNull();
  });
});
