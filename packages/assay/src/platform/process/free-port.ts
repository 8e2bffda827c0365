import { once } from "node:events";
import { createServer } from "node:net";

/** A port of this machine's own address that nothing listens on: the one wanted, or any. Null when that one is taken. */
export async function freePort(wanted = 0): Promise<number | null> {
  const server = createServer();
  try {
    server.listen({ port: wanted, host: "127.0.0.1", exclusive: true });
    await once(server, "listening");
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : null;
  } catch {
    return null;
  } finally {
    server.close();
  }
}
