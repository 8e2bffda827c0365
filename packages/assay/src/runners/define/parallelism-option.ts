import { z } from "zod";

import { operational } from "../../support/options.ts";

/** Of every runner that works one trial at a time. */
export const parallelismOption = operational(
  z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe("Trials at once; null takes the run's concurrency."),
  "how many trials run at once does not change what one trial does",
);
