/** Who is at the other end of a connection, by the certificate that it was opened with. */
import type { TLSSocket } from "node:tls";
import { OPERATOR_NAME } from "../control/methods.ts";

/** The other end. */
export interface Client {
  readonly name: string;
  /** The certificate's serial number, in hexadecimal. */
  readonly serial: string;
  /** Why it gets nothing; undefined for the operator. */
  readonly refusal: string | undefined;
}

/** The authority signs gateways too, and a connection may outlast the certificate that it was opened with. */
export function clientOf(socket: TLSSocket, now: number): Client {
  const { subject, serialNumber, valid_to: end } = socket.getPeerCertificate();
  const [common = ""] = [subject?.CN ?? ""].flat();
  const name = common.slice(0, 253);
  if (!socket.authorized || name !== OPERATOR_NAME)
    return { name, serial: serialNumber, refusal: "not the operator" };
  const isOver = !(now < Date.parse(end));
  return { name, serial: serialNumber, refusal: isOver ? "the certificate has ended" : undefined };
}
