/** One line at the bottom of a terminal that is written anew, with other lines above it. */
export interface StatusLine {
  update(text: string): void;
  above(text: string): void;
  close(): void;
}

export async function openStatusLine({
  hasColor,
}: {
  readonly hasColor: boolean;
}): Promise<StatusLine> {
  const { default: ora } = await import("ora");
  // Without `discardStdin: false` it would take Ctrl-C away from the run.
  const spinner = ora({
    stream: process.stderr,
    discardStdin: false,
    color: hasColor ? "cyan" : false,
    text: "starting",
  }).start();
  return {
    update: (text) => {
      spinner.text = text;
    },
    above: (text) => {
      if (!spinner.isSpinning) return void process.stderr.write(`${text}\n`);
      spinner.clear();
      process.stderr.write(`${text}\n`);
      spinner.render();
    },
    close: () => {
      spinner.stop();
    },
  };
}
