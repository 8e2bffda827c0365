/**
 * The environment variables by which Assay finds its children again. The names hold neither TOKEN, KEY nor SECRET:
 * agents such as Codex take variables with such names out of the environment of the commands they run.
 */
export const runMarkVariable = "ASSAY_RUN_MARK";
export const processMarkVariable = "ASSAY_PROCESS_MARK";
