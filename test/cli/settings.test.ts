import { describe, expect, it } from "vitest";
import { recordedArguments, settingsOf } from "../../packages/assay/src/cli/run-settings.ts";
import {
  collectPair,
  collectSetting,
  environmentSettings,
  positiveInteger,
} from "../../packages/assay/src/cli/settings.ts";

describe("--set", () => {
  it.each([
    ["target.model=gpt-5", ["model"], "gpt-5"],
    ["target.env.HOME_DIR=a=b", ["env", "HOME_DIR"], "a=b"],
    ["target.model=", ["model"], ""],
    ["target.constructor=x", ["constructor"], "x"],
  ])("%s sets the option at the path to the text after the first =", (text, path, value) => {
    expect(collectSetting(text)).toEqual([{ path, value, isText: true, origin: "flag" }]);
  });

  it.each([
    ["model=x"],
    ["target=x"],
    ["target.=x"],
    ["target..a=x"],
    ["target.model"],
    ["=x"],
    ["trials=3"],
  ])("%s is refused", (text) => {
    expect(() => collectSetting(text)).toThrow(/target\.<option>=value/);
  });

  it("keeps all settings in the order given", () => {
    const settings = collectSetting("target.a=2", collectSetting("target.a=1"));

    expect(settings.map(({ value }) => value)).toEqual(["1", "2"]);
  });
});

describe("ASSAY_SET_* in the environment", () => {
  it("sets options of the target, names lower-cased, two underscores parting the path", () => {
    const { settings, unusable } = environmentSettings({
      PATH: "/bin",
      ASSAY_SET_TARGET__TIMEOUT_S: "30",
      ASSAY_SET_TARGET__MODEL: "m",
      ASSAY_SET_TARGET__ENV__NAME: "x",
    });

    expect(unusable).toEqual([]);
    expect(settings).toEqual([
      { path: ["env", "name"], value: "x", isText: true, origin: "environment" },
      { path: ["model"], value: "m", isText: true, origin: "environment" },
      { path: ["timeout_s"], value: "30", isText: true, origin: "environment" },
    ]);
  });

  it.each([["ASSAY_SET_MODEL"], ["ASSAY_SET_TARGET"], ["ASSAY_SET_TARGET__"], ["ASSAY_SET_"]])(
    "%s, which sets nothing, is refused by its name",
    async (name) => {
      await expect(settingsOf({ [name]: "secret-value" })).rejects.toThrow(
        `the environment variable ${name} sets nothing`,
      );
    },
  );
});

describe("key=value flags", () => {
  it("collects pairs, the last of a key counts, and names of members of objects are names", () => {
    const pairs = ["a=1", "a=2", "b=x=y", "__proto__=p", "constructor=c", "empty="].reduce<
      Record<string, string>
    >((earlier, text) => collectPair(text, earlier), Object.create(null));

    expect(Object.entries(pairs)).toEqual([
      ["a", "2"],
      ["b", "x=y"],
      ["__proto__", "p"],
      ["constructor", "c"],
      ["empty", ""],
    ]);
  });

  it.each([["a"], ["=1"], [""]])("refuses %j", (text) => {
    expect(() => collectPair(text)).toThrow("It takes key=value.");
  });
});

describe("numbers", () => {
  it("takes whole numbers from 1", () => {
    expect(["1", "12", "007"].map(positiveInteger)).toEqual([1, 12, 7]);
  });

  it.each([["0"], ["-1"], ["1.5"], ["1e3"], ["x"], [""], [" 1"], ["99999999999999999999"]])(
    "refuses %j",
    (text) => {
      expect(() => positiveInteger(text)).toThrow("It takes a whole number of at least 1.");
    },
  );
});

describe("the recorded command line", () => {
  it("leaves out the values of settings, in both spellings", () => {
    const argv = [
      "run",
      "s.ts",
      "--set",
      "target.api_key=sk-1",
      "--set=target.k=sk-2\nx",
      "--label",
      "a=b",
    ];

    expect(recordedArguments(argv)).toEqual([
      "assay",
      "run",
      "s.ts",
      "--set",
      "target.api_key=...",
      "--set=target.k=...",
      "--label",
      "a=b",
    ]);
  });
});
