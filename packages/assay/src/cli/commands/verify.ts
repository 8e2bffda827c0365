import { Command } from "commander";

import { type CommandContext, printJson, printLines } from "../context.ts";
import { lineWidthOf } from "../show-result.ts";

interface VerifyFlags {
  readonly digest?: string;
  readonly key?: string;
  readonly json?: boolean;
}

const notes = `
Proves one of three things, and says which. The bundle is consistent: all its
digests agree, and so do its records; a forger can make them all anew. With
--digest: it is the bundle whose digest the run printed. With --key: the owner
of the key signed it. A key or a digest inside of a bundle proves nothing, so
have both from elsewhere. Nothing of the bundle is executed or followed.

Exit code 0 when all that was asked for is proved, 5 when anything is altered,
missing, added or does not fit, 4 when the bundle has no digests: that of a run
that has not ended, or of another tool.
`;

export function verifyCommand(context: CommandContext): Command {
  return new Command("verify")
    .description("Check that a bundle was not altered, and name what was.")
    .argument("<bundle>", "the directory that holds run.json")
    .option("--digest <digest>", "the digest that it should have, as the run printed it last")
    .option("--key <file>", "the public Ed25519 key in PEM of who should have signed it")
    .option("--json", "print the result as JSON")
    .addHelpText("after", notes)
    .action((bundle: string, flags: VerifyFlags) => verify(context, bundle, flags));
}

async function verify(
  context: CommandContext,
  dir: string,
  { digest, key, json = false }: VerifyFlags,
): Promise<void> {
  const { verifyBundle } = await import("../../entries/bundle.ts");
  const { cwd, env, stdout } = context.io;
  const verification = await verifyBundle(dir, {
    cwd,
    env,
    ...(digest === undefined ? {} : { digest }),
    ...(key === undefined ? {} : { keyFile: key }),
  });
  context.exitCode = verification.exitCode;
  if (json) return await printJson(context, verification.toJSON());
  const { verifyLines } = await import("../print/verify-text.ts");
  await printLines(context, verifyLines(verification, { cwd, width: lineWidthOf(stdout) }));
}
