import { z } from "zod";

import { markedAsPath } from "./shape.ts";

/** A path of the host: relative ones start at the suite's folder. A bare program name is looked up on PATH. */
export function hostPath() {
  return markedAsPath(
    z
      .string()
      .min(1)
      .refine((text) => !text.includes("\0"), "must not hold a NUL character"),
  );
}
