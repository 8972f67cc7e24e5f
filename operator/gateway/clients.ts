/** Clients of a gateway by their certificates: the operator, and replicas that read a checkpoint. */
import type { TLSSocket } from "node:tls";
import { isReaderOf, OPERATOR_NAME } from "../control/methods.ts";

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
  const { name, serial, isOver } = peerOf(socket, now);
  if (!socket.authorized || name !== OPERATOR_NAME)
    return { name, serial, refusal: "the client is not the operator" };
  return { name, serial, refusal: isOver ? "the certificate has expired" : undefined };
}

/** Returns the client if it is a replica that may read checkpoints of the gateway `own`; undefined for others. */
export function readerOf(socket: TLSSocket, own: string, now: number): Client | undefined {
  const { name, serial, isOver } = peerOf(socket, now);
  const isReader = socket.authorized && !isOver && isReaderOf(name, own);
  return isReader ? { name, serial, refusal: undefined } : undefined;
}

function peerOf(socket: TLSSocket, now: number) {
  const { subject, serialNumber: serial, valid_to: end } = socket.getPeerCertificate();
  const [common = ""] = [subject?.CN ?? ""].flat();
  return { name: common.slice(0, 253), serial, isOver: !(now < Date.parse(end)) };
}
