import type { FileFacts } from "../contracts/files.ts";

/** What stands in a directory, as it is told. */
export const kindNames: Readonly<Record<FileFacts["kind"], string>> = {
  file: "file",
  directory: "folder",
  link: "link",
  other: "special file",
};
