import fc from "fast-check";

/** With a seed from outside, all properties of a run are tried with the values that another run with it tried. */
const seed = process.env["ASSAY_PROPERTY_SEED"];
if (seed !== undefined && seed !== "") fc.configureGlobal({ seed: Number(seed) });
