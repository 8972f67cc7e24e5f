/** Where a call to a node can fail, in the order of the way, and the reason that conditions show for it. */
export const hops = {
  resolve: { reason: "GatewayNameUnknown", says: "the gateway's host name leads to no address" },
  connect: { reason: "GatewayUnreachable", says: "nobody takes the connection at the gateway's address" },
  tls: {
    reason: "GatewayHandshakeFailed",
    says: "whoever listens there does not speak TLS as a gateway does",
  },
  certificate: {
    reason: "CertificateRefused",
    says: "the gateway's certificate is not believed, or the gateway does not believe the operator's",
  },
  gateway: { reason: "GatewayFailed", says: "the gateway took the call and gave no proper answer in time" },
  refused: { reason: "GatewayRefused", says: "the gateway does not pass this call on" },
  busy: { reason: "GatewayBusy", says: "the gateway has as many calls as it takes, or one of maintenance" },
  socket: { reason: "NodeSocketClosed", says: "the node does not take the gateway's connection" },
  silent: { reason: "NodeSilent", says: "the node does not answer the gateway in time" },
  "bad-answer": { reason: "NodeAnswerUnreadable", says: "what the node answers cannot be read" },
  "node-error": { reason: "NodeRefused", says: "the node answers with an error of its own" },
} as const;

/** A part of the way to a node. */
export type Hop = keyof typeof hops;
