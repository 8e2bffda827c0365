/** A glob as a pattern for a relative path: `**` crosses folders, `*` and `?` do not. */
export function globPattern(glob: string): RegExp {
  const source = glob.replace(/\*\*\/|\*\*|\*|\?|[\\^$.+()[\]{}|]/g, (token) => {
    switch (token) {
      case "**/":
        return "(?:.*/)?";
      case "**":
        return ".*";
      case "*":
        return "[^/]*";
      case "?":
        return "[^/]";
      default:
        return `\\${token}`;
    }
  });
  return new RegExp(`^${source}$`, "su");
}
