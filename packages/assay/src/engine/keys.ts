import path from "node:path";

import type { FileStore } from "../contracts/files.ts";
import {
  maxKeyBytes,
  type SigningKey,
  signingKeyOf,
  type VerifyingKey,
  verifyingKeyOf,
} from "../provenance/signing/keys.ts";
import type { Platform } from "./platform.ts";

type Place = Pick<Platform, "cwd"> & { readonly files: FileStore };

/** Throws `ASSAY_KEY_INVALID`, or `ASSAY_FILE_UNREADABLE` for what is no regular file. */
export async function readSigningKey(file: string, place: Place): Promise<SigningKey> {
  return signingKeyOf(await textOf(file, place), file);
}

/** The same for the public half. */
export async function readVerifyingKey(file: string, place: Place): Promise<VerifyingKey> {
  return verifyingKeyOf(await textOf(file, place), file);
}

async function textOf(file: string, { cwd, files }: Place): Promise<string> {
  return await files.readText(path.resolve(cwd, file), { maxBytes: maxKeyBytes });
}
