/** The API server's certificate: judged by the authority that is believed when a connection is made. */
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, test } from "@jest/globals";
import { type Credentials, createAuthority, issueGateway } from "../../../operator/control/authority.ts";
import { openTransport, type Transport } from "../../../operator/kube/transport.ts";

const NAME = "api.test";

function serve(server: Server, { certificate: cert, key }: Credentials): void {
  server.setSecureContext({ cert, key });
  server.closeAllConnections();
}

function transportTo(server: Server, ca: () => string): Transport {
  const { port } = server.address() as AddressInfo; // listening on TCP
  return openTransport({
    access: {
      origin: `https://127.0.0.1:${port}`,
      prefix: "",
      tls: async () => ({ ca: ca(), servername: NAME }),
      authorization: async () => undefined,
      reportRefusal: () => undefined,
    },
    userAgent: "test",
  });
}

test("an authority that takes another's place is believed by the next connection, and the other one no more", async () => {
  const [before, after] = [await createAuthority(Date.now()), await createAuthority(Date.now())];
  let believed = before.certificate;
  await using server = createServer((_request, response) => void response.end('{"ok":true}'));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  serve(server, await issueGateway(before, NAME, Date.now()));
  await using transport = transportTo(server, () => believed);
  const get = () => transport.send({ method: "GET", path: "/" });
  expect(await get()).toEqual({ ok: true });
  serve(server, await issueGateway(after, NAME, Date.now()));
  await expect(get()).rejects.toMatchObject({ code: "unreachable" });
  believed = after.certificate;
  expect(await get()).toEqual({ ok: true });
});
