/** Identity of a client, from the certificate of its connection. */
import type { TLSSocket } from "node:tls";
import { OPERATOR_NAME } from "../control/methods.ts";

/** A client. */
export interface Client {
  readonly name: string;
  /** The certificate's serial number, in hexadecimal. */
  readonly serial: string;
  /** Reason to reject it; undefined for the operator. */
  readonly refusal: string | undefined;
}

/**
 * Checks name and validity on each request. The authority also signs gateways, and a connection may outlive
 * its certificate.
 */
export function clientOf(socket: TLSSocket, now: number): Client {
  const { subject, serialNumber, valid_to: end } = socket.getPeerCertificate();
  const [common = ""] = [subject?.CN ?? ""].flat();
  const name = common.slice(0, 253);
  if (!socket.authorized || name !== OPERATOR_NAME)
    return { name, serial: serialNumber, refusal: "the client is not the operator" };
  const isOver = !(now < Date.parse(end));
  return { name, serial: serialNumber, refusal: isOver ? "the certificate has expired" : undefined };
}
