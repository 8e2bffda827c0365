import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { safeName, taskFolder, uniqueName } from "../../packages/assay/src/support/file-names.ts";

const long = "x".repeat(300);

/** What every file system that Assay may meet accepts as the name of one folder. */
const portableName = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,126}$/;
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

describe("safeName", () => {
  it.each([
    ["task-1", "task-1"],
    ["a b", "a-b"],
    ["a//b", "a--b"],
    ["../x", "x"],
    ["..", ""],
    [".", ""],
    ["", ""],
    ["---", ""],
    ["--a.b--", "a.b"],
    ["A_b.C-1", "A_b.C-1"],
    ["größe", "gr--e"],
    ["日本", ""],
    ["a\u0000b\n", "a-b"],
    ["C:\\x", "C--x"],
    [long, "x".repeat(120)],
    [`${"x".repeat(119)}.${"y".repeat(10)}`, "x".repeat(119)],
  ])("of %j is %j", (id, name) => {
    expect(safeName(id)).toBe(name);
  });
});

describe("taskFolder", () => {
  it.each([
    [0, "task-1", "000000-task-1"],
    [12, "../x", "000012-x"],
    [1, "a/b", "000001-a-b"],
    [2, "CON", "000002-CON"],
    [3, long, `000003-${"x".repeat(120)}`],
    [4, "...", "task-000004"],
    [5, " ", "task-000005"],
    [6, "日本", "task-000006"],
    [1234567, "a", "1234567-a"],
  ])("of task %i with the id %j is %s", (index, id, folder) => {
    expect(taskFolder(index, id)).toBe(folder);
  });

  it("is another one for each index, whatever the ids are", () => {
    void fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { maxLength: 20 }), (ids) => {
        const folders = ids.map((id, index) => taskFolder(index, id).toLowerCase());

        expect(new Set(folders).size).toBe(ids.length);
        for (const folder of folders) expect(folder).toMatch(portableName);
      }),
    );
  });
});

describe("uniqueName", () => {
  it.each([["task-1"], ["a.b_c-1"], ["0"]])("keeps %j as it is", (id) => {
    expect(uniqueName(id)).toBe(id);
  });

  it.each([
    ["a:b", /^a-b-[0-9a-f]{12}$/],
    ["../x", /^x-[0-9a-f]{12}$/],
    ["A", /^A-[0-9a-f]{12}$/],
    ["", /^[0-9a-f]{12}$/],
    ["..", /^[0-9a-f]{12}$/],
    [long, /^x{100}-[0-9a-f]{12}$/],
    ["CON", /^_CON-[0-9a-f]{12}$/],
    ["nul.txt", /^_nul\.txt-[0-9a-f]{12}$/],
  ])("gives %j a digest of its own", (id, pattern) => {
    expect(uniqueName(id)).toMatch(pattern);
  });

  const troublesome = [
    "../x",
    "..\\x",
    "x",
    "X",
    "/x",
    "x/",
    "a/b",
    "a-b",
    "a b",
    "a:b",
    "A",
    "a",
    "CON",
    "con",
    "con.",
    "nul.txt",
    "",
    " ",
    ".",
    "..",
    "...",
    "-",
    "ä",
    "a\u0308",
    "\u00e4",
    "😀",
    "\ud800",
    "\u0000",
    long,
    `${long}y`,
    "x".repeat(120),
    "x".repeat(121),
  ];
  const forged = troublesome.map(uniqueName);

  it("gives ids that look alike different names, on file systems that fold case and forms too", () => {
    const ids = [
      ...new Set([...troublesome, ...forged, ...forged.map((name) => name.toLowerCase())]),
    ];

    const names = ids.map((id) => uniqueName(id).toLowerCase().normalize("NFKD"));

    expect(new Set(names).size).toBe(ids.length);
  });

  it("is a name that every file system takes, and different for different ids", () => {
    const id = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(...troublesome),
      fc.constantFrom(...forged),
    );
    void fc.assert(
      fc.property(id, id, (a, b) => {
        expect(uniqueName(a)).toMatch(portableName);
        expect(uniqueName(a)).not.toMatch(reserved);
        expect(uniqueName(a).toLowerCase() === uniqueName(b).toLowerCase()).toBe(a === b);
      }),
    );
  });
});
