import { describe, expect, it } from "vitest";

import { formatInstant } from "../../packages/assay/src/support/timestamps.ts";

describe("formatInstant", () => {
  it.each([
    ["2026-07-31T11:46:40.000Z", "2026-07-31T11:46:40Z"],
    ["2026-07-31T11:46:40.123Z", "2026-07-31T11:46:40.123000Z"],
    ["2026-07-31T11:46:40.001Z", "2026-07-31T11:46:40.001000Z"],
    ["2026-07-31T11:46:59.999Z", "2026-07-31T11:46:59.999000Z"],
    ["2026-07-31T13:46:40.100+02:00", "2026-07-31T11:46:40.100000Z"],
    ["1999-12-31T23:59:59Z", "1999-12-31T23:59:59Z"],
  ])("writes %s as %s: UTC, microseconds only when there are any", (given, text) => {
    expect(formatInstant(new Date(given))).toBe(text);
  });
});
