import { z } from "zod";

import { name } from "./free-form.ts";
import { wireNamed } from "./shape.ts";

export const statementMediaType = "application/vnd.in-toto+json";

/** `provenance.dsse.json`: a DSSE envelope around the bytes of provenance.json. */
export const envelopeSchema = z.strictObject({
  payload: z.string().describe("The bytes of provenance.json in base64."),
  payloadType: wireNamed("payloadType", name()).describe(`Always \`${statementMediaType}\`.`),
  signatures: z
    .array(
      z.strictObject({
        keyid: z
          .string()
          .default("")
          .describe("`sha256:` and the digest of the public key (DER, SPKI). A hint, no proof."),
        sig: z.string().describe("Ed25519, in base64, of the pre-authentication encoding."),
      }),
    )
    .min(1)
    .describe("One is what Assay writes."),
});

export type Envelope = Readonly<z.output<typeof envelopeSchema>>;
