import { createHash, randomBytes } from "node:crypto";

import type { Random } from "../contracts/clock.ts";

/** A generator whose seed comes from the system. Not for secrets: tokens have `newToken`. */
export function createRandom(): Random {
  return seededRandom(randomBytes(16).toString("hex"));
}

/** The same seed gives the same numbers on every machine (sfc32, seeded by SHA-256). */
export function seededRandom(seed: string | number): Random {
  const digest = createHash("sha256").update(String(seed)).digest();
  let a = digest.readUInt32LE(0) | 0;
  let b = digest.readUInt32LE(4) | 0;
  let c = digest.readUInt32LE(8) | 0;
  let counter = 1;

  const next32 = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  // 53 bits, as many as a number in [0, 1) holds.
  return { next: () => ((next32() >>> 5) * 67_108_864 + (next32() >>> 6)) / 9_007_199_254_740_992 };
}
